package messages

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"git-flower/engine/harness"
	"git-flower/engine/rawjson"
)

// A tool is one that the model may call, built in or the caller's.
type tool struct {
	name        string
	description string
	schema      json.RawMessage
	parallel    bool
	custom      bool
	call        func(ctx context.Context, id string, input json.RawMessage) (harness.Result, error)
}

// A toolset is what one session offers, in a fixed order.
type toolset struct {
	offered []*tool
	files   *files
	shells  *shells
	skills  skills
}

// newToolset takes the built-in tools that are wanted and known, in our own
// order so that the request's prefix does not depend on the caller's, then the
// custom ones.
func newToolset(h *Harness, o harness.Options) (*toolset, error) {
	s := &toolset{files: newFiles(o), shells: &shells{start: h.c.Background}}
	var err error
	if s.skills, err = loadSkills(o); err != nil {
		return nil, err
	}
	for _, t := range s.builtins(h, o) {
		if slices.Contains(o.Tools, t.name) {
			s.offered = append(s.offered, t)
		}
	}
	for _, c := range o.Custom {
		if _, taken := s.find(c.Name); taken || c.Name == "" {
			return nil, fmt.Errorf("two tools are named '%s', or one has no name", c.Name)
		}
		if !rawjson.IsObject(c.Schema) {
			return nil, fmt.Errorf("schema of tool '%s' is no JSON object", c.Name)
		}
		if c.Call == nil {
			return nil, fmt.Errorf("tool '%s' cannot be called", c.Name)
		}
		s.offered = append(s.offered, &tool{name: c.Name, description: c.Description, schema: c.Schema,
			parallel: c.Parallel, custom: true, call: c.Call})
	}
	return s, nil
}

func (s *toolset) find(name string) (*tool, bool) {
	for _, t := range s.offered {
		if t.name == name {
			return t, true
		}
	}
	return nil, false
}

// again says whether a call that a crash cut off is simply made again: a tool
// of ours knows the call by its id, and one that only looks harms nothing.
func (s *toolset) again(name string) bool {
	t, ok := s.find(name)
	return ok && (t.custom || t.parallel)
}

func (s *toolset) names() []string {
	names := []string{}
	for _, t := range s.offered {
		names = append(names, t.name)
	}
	return names
}

// group is how many of the calls, from the first on, may run side by side.
func (s *toolset) group(calls []call) int {
	n := 0
	for n < min(len(calls), sideBySide) {
		if t, ok := s.find(calls[n].name); ok && !t.parallel {
			break
		}
		n++
	}
	return max(n, 1)
}

// definitions are the tools as the API takes them.
func (s *toolset) definitions() []json.RawMessage {
	var ds []json.RawMessage
	for _, t := range s.offered {
		ds = append(ds, object([]member{{"name", quoted(t.name)}, {"description", quoted(t.description)}, {"input_schema", t.schema}}))
	}
	return ds
}

// builtins are the tools this harness has, under Claude Code's names and with
// its inputs, so that prompts and guards serve both harnesses.
func (s *toolset) builtins(h *Harness, o harness.Options) []*tool {
	f := s.files
	sh := &shell{run: h.c.Shell, dir: o.Dir, env: o.Env, fence: o.Fence, shells: s.shells}
	// What cannot be looked at and ended again is not left running.
	sh.mayLeave = h.c.Background != nil && slices.Contains(o.Tools, "BashOutput") && slices.Contains(o.Tools, "KillShell")
	all := []*tool{
		builtin("Read", readAbout, readSchema, true, f.read),
		builtin("Write", writeAbout, writeSchema, false, f.write),
		builtin("Edit", editAbout, editSchema, false, f.edit),
		sh.tool(),
		builtin("Glob", globAbout, globSchema, true, f.glob),
		builtin("Grep", grepAbout, grepSchema, true, f.grep),
		builtin("TodoWrite", todoAbout, todoSchema, false, todoWrite),
	}
	if h.c.WebAddress != nil {
		w := &web{client: newWebClient(h.c.WebAddress), agent: h.c.UserAgent}
		all = append(all, builtin("WebFetch", webFetchAbout, webFetchSchema, true, w.fetch))
	}
	if len(s.skills) > 0 {
		all = append(all, builtin("Skill", skillAbout, skillSchema, true, s.skills.read))
	}
	if sh.mayLeave {
		all = append(all, builtin("BashOutput", bashOutputAbout, bashOutputSchema, true, s.shells.output),
			builtin("KillShell", killShellAbout, killShellSchema, false, s.shells.killShell))
	}
	return all
}

// builtin makes a tool of a function over its decoded input.
func builtin[I any](name, about, schema string, parallel bool, f func(context.Context, I) (harness.Result, error)) *tool {
	return &tool{name: name, description: about, schema: json.RawMessage(schema), parallel: parallel,
		call: func(ctx context.Context, _ string, raw json.RawMessage) (harness.Result, error) {
			var input I
			if err := json.Unmarshal(raw, &input); err != nil {
				return harness.Result{}, fmt.Errorf("the input does not fit %s: %w", name, err)
			}
			return f(ctx, input)
		}}
}

func text(s string) (harness.Result, error) { return harness.Result{Text: s}, nil }
