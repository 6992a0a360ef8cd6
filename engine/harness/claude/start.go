package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"git-flower/worktree/fence"
	"git-flower/worktree/process"
)

// launch starts the process, from the history if there is any, and waits until
// it can be talked to.
func (s *session) launch(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return err
	}
	resumed := len(s.history.Entries) > 0
	s.withheld = withheld(s.o)
	args, err := arguments(s.o, s.model, resumed)
	if err != nil {
		return err
	}
	key := ""
	if s.pass != nil {
		key = s.pass.Key()
	}
	program := process.Program{Path: s.h.c.Path, Args: args, Dir: s.o.Dir, Env: environment(s.o, s.folders, s.h.c, key), Fence: s.fence()}
	p, err := s.h.open(ctx, program)
	if err != nil {
		return err
	}
	s.keeper = newKeeper(ctx, s.h.c.Transcript, s.o.Session, s.folders.config)
	s.keeper.mark, s.keeper.left = s.history.Mark, s.history.Left
	if p := s.purse; p != nil {
		s.keeper.count = func(m message, main bool) { p.count(ctx, m.ID, m.Model, m.Usage.tokens(), main) }
	}
	if len(s.o.Custom) > 0 {
		s.tools = newToolServer(ctx, s.o.Custom, s.perform)
	}
	s.conn = newConn(ctx, p, s.answer, s.keeper.take)
	if err := s.initialize(ctx); err != nil {
		return errors.Join(err, s.drop())
	}
	s.history = nil
	return nil
}

// prepare makes the process's folders anew and writes the history into them.
func (s *session) prepare(ctx context.Context) error {
	if err := os.RemoveAll(s.folders.root); err != nil {
		return err
	}
	for _, dir := range []string{s.folders.config, s.folders.temp} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if s.h.c.Prepare != nil {
		if err := s.h.c.Prepare(s.folders.config); err != nil {
			return err
		}
	}
	if len(s.history.Entries) == 0 {
		return nil
	}
	if err := writeTranscript(s.folders.config, s.o.Dir, s.o.Session, s.history.Entries); err != nil {
		return err
	}
	return s.prepareAgents(ctx)
}

// prepareAgents writes what the store has of the sub-agents that the history
// names: the CLI may be told to go on with one.
func (s *session) prepareAgents(ctx context.Context) error {
	written := map[string]bool{}
	for _, raw := range s.history.Entries {
		var e struct {
			Result struct{ AgentID string } `json:"toolUseResult"`
		}
		if json.Unmarshal(raw, &e) != nil || e.Result.AgentID == "" || written[e.Result.AgentID] {
			continue // the result of another tool may have any form
		}
		written[e.Result.AgentID] = true
		agent := "agent-" + e.Result.AgentID
		entries, err := s.h.c.Transcript.Load(ctx, s.o.Session+"/"+agent)
		if err != nil {
			return fmt.Errorf("load transcript of '%s': %w", agent, err)
		}
		if len(entries) == 0 {
			continue
		}
		if err := writeAgentTranscript(s.folders.config, s.o.Dir, s.o.Session, agent, entries); err != nil {
			return err
		}
	}
	return nil
}

// startTime is what the CLI may take to start; on a busy machine it takes a few
// seconds. The official SDK waits as long.
const startTime = time.Minute

var errMute = fmt.Errorf("it said nothing for %v", startTime)

// initialize tells the CLI of hooks, tools and rules. A CLI that runs a tool
// although its guard failed is not used.
func (s *session) initialize(ctx context.Context) error {
	r := map[string]any{"subtype": "initialize", "hooks": hooks(), "appendSystemPrompt": s.system()}
	if s.tools != nil {
		r["sdkMcpServers"] = []string{server}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, errMute)
	defer cancel()
	raw, err := s.conn.ask(ctx, r)
	if errors.Is(err, errGone) {
		return fmt.Errorf("the CLI did not start: %s", s.refusal())
	}
	if err != nil {
		return fmt.Errorf("the CLI did not start: %w", err)
	}
	var can struct {
		OnFailure bool `json:"hook_on_failure_supported"`
	}
	if err := json.Unmarshal(raw, &can); err != nil || !can.OnFailure {
		return fmt.Errorf("'%s' cannot be held to its guards: it runs a tool when a hook fails; install a newer version", s.h.c.Path)
	}
	return nil
}

// outdated tells whether the person has opened, or closed, files since the
// process was started: it cannot be told (apply_flag_settings only adds).
func (s *session) outdated() bool {
	return s.conn != nil && !slices.Equal(withheld(s.o).Deny, s.withheld.Deny)
}

// refusal is why a process ended before it could be talked to: a refused
// session says so in a result.
func (s *session) refusal() string {
	for {
		l, ok := s.conn.next()
		if !ok {
			return s.conn.why()
		}
		if l.Type == "result" && len(l.Errors) > 0 {
			return oneLine(l.Errors[0])
		}
	}
}

// system is the role's rules, and how the CLI names the tools of ours that they
// speak of.
func (s *session) system() string {
	if len(s.o.Custom) == 0 {
		return s.o.System
	}
	var names, full []string
	for _, tool := range s.o.Custom {
		names, full = append(names, tool.Name), append(full, toolPrefix+tool.Name)
	}
	return s.o.System + "\n\nIn this program the tools " + strings.Join(names, ", ") + " have the full names " + strings.Join(full, ", ") + "."
}

// fence is what the process is held to: what its commands would be, and its own
// folders besides.
func (s *session) fence() *fence.Policy {
	if s.o.Fence == nil || !s.o.Fence.On() {
		return nil
	}
	p := s.o.Fence.With(s.folders.root)
	p.Read = slices.Concat(p.Read, programPlaces(s.h.c.Path, p.Home), s.o.Plugins)
	if port := s.proxyPort(); port > 0 && len(p.Ports) > 0 {
		p.Ports = append(slices.Clone(p.Ports), port)
	}
	return &p
}

// proxyPort is where the proxy listens; 0 when there is none. The process has to
// reach it whatever ports the commands are held to.
func (s *session) proxyPort() uint16 {
	if s.h.c.Proxy == nil {
		return 0
	}
	at, err := url.Parse(s.h.c.Proxy.URL())
	if err != nil {
		return 0
	}
	port, err := strconv.ParseUint(at.Port(), 10, 16)
	if err != nil {
		return 0
	}
	return uint16(port)
}

// programPlaces are where a program is: the name it is started by, which may be
// a link, and the folder of what belongs to it, unless more than that is in it.
func programPlaces(path, home string) []string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return []string{path}
	}
	folder := filepath.Dir(real)
	if at, err := filepath.EvalSymlinks(home); err == nil && home != "" {
		if inside, err := filepath.Rel(folder, at); err == nil && inside != ".." && !strings.HasPrefix(inside, ".."+string(filepath.Separator)) {
			return []string{path, real}
		}
	}
	return []string{path, folder}
}
