package guards

import "encoding/json"

// bashCommand is the command of a Bash call, or why there is none to judge. Keys
// are compared exactly, as the tool itself does; Go's structs would take
// "Command" for "command".
func bashCommand(input json.RawMessage) (command, why string) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil || json.Unmarshal(fields["command"], &command) != nil {
		return "", "Bash needs an object with a 'command' string"
	}
	var background bool
	if raw, given := fields["run_in_background"]; given && (json.Unmarshal(raw, &background) != nil || background) {
		return "", "a look is not left running in the background: run it without run_in_background"
	}
	return command, ""
}

// withCommand allows a Bash call with another command in the place of its own.
func withCommand(input json.RawMessage, command string) Decision {
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) != nil {
		return Deny("Bash needs an object with a 'command' string")
	}
	text, err := json.Marshal(command)
	if err != nil {
		return Deny("the command cannot be written as JSON")
	}
	fields["command"] = text
	out, err := json.Marshal(fields)
	if err != nil {
		return Deny("the input cannot be written as JSON")
	}
	return Decision{Allow: true, Input: out}
}
