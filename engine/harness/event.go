package harness

import "encoding/json"

// An Event is something a session did. The set is closed but for Raw, which
// carries whatever a newer runtime sends.
type Event interface{ event() }

// Text is prose of the model, a whole block.
type Text struct{ Text string }

// Thinking is a block of the model's reasoning.
type Thinking struct{ Text string }

// ToolCall is a call about to be made; the guards have not spoken yet.
type ToolCall struct {
	ID    string
	Tool  string
	Input json.RawMessage
}

// ToolResult is what became of a call.
type ToolResult struct {
	ID     string
	Tool   string
	Denied bool // by the guards
	Result Result
}

// Responded closes one request to the model.
type Responded struct {
	Model string // as served
	Usage Usage
}

// Compacted says that the runtime itself rewrote the context, which ours never asks for.
type Compacted struct{ Before, After int64 }

// Raw is a message we do not know.
type Raw struct{ Data json.RawMessage }

// Ended closes a turn.
type Ended struct {
	Stop  Stop
	Text  string // the last message's prose, main thread only
	Fault *Fault // set when Stop is StopFault
}

// Stop says why a turn ended.
type Stop int

// The reasons. The zero value is a fault.
const (
	StopFault       Stop = iota
	StopDone             // the model ended its turn
	StopInterrupted      // Interrupt was called
	StopMaxTurns         // Options.MaxTurns were used up
	StopMaxTokens        // the answer was cut off, also after one attempt to let it go on
	StopTool             // a custom tool returned ErrStop
)

func (Text) event()       {}
func (Thinking) event()   {}
func (ToolCall) event()   {}
func (ToolResult) event() {}
func (Responded) event()  {}
func (Compacted) event()  {}
func (Raw) event()        {}
func (Ended) event()      {}
