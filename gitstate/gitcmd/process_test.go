package gitcmd

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

func TestConversation(t *testing.T) {
	scrub(t)
	g := New(repository(t))
	var ids []string
	for i := range 50 {
		id, err := g.WriteIn(t.Context(), strings.NewReader(strings.Repeat("x", 3000*i)), "hash-object", "-w", "--stdin")
		must(t, err)
		ids = append(ids, strings.TrimSpace(string(id)))
	}
	p, err := g.Start(t.Context(), "cat-file", "--batch", "--buffer")
	must(t, err)
	p2, err := g.Start(t.Context(), "cat-file", "--batch")
	must(t, err)
	for i, id := range ids {
		if got := ask(t, p2, id); got != strings.Repeat("x", 3000*i) {
			t.Errorf("object %d has %d bytes", i, len(got))
		}
	}
	fmt.Fprintln(p2.In, "refs/heads/none")
	if answer, err := p2.Out.ReadString('\n'); err != nil || answer != "refs/heads/none missing\n" {
		t.Errorf("%q, %v", answer, err)
	}
	must(t, p2.Close())
	for _, id := range ids { // more output than anybody reads
		fmt.Fprintln(p.In, id)
	}
	must(t, p.Close())
}

// ask has cat-file print one object.
func ask(t *testing.T, p *Process, id string) string {
	t.Helper()
	fmt.Fprintln(p.In, id)
	head, err := p.Out.ReadString('\n')
	must(t, err)
	var kind string
	var size int
	if _, err := fmt.Sscanf(strings.TrimPrefix(head, id), "%s %d", &kind, &size); err != nil || kind != "blob" {
		t.Fatalf("answer %q: %v", head, err)
	}
	content := make([]byte, size+1)
	_, err = io.ReadFull(p.Out, content)
	must(t, err)
	return string(content[:size])
}

func TestConversationEndedByTheCaller(t *testing.T) {
	scrub(t)
	p, err := New(repository(t)).Start(t.Context(), "cat-file", "--batch")
	must(t, err)
	must(t, p.In.Close())
	if rest, err := io.ReadAll(p.Out); err != nil || len(rest) != 0 {
		t.Errorf("%q, %v", rest, err)
	}
	must(t, p.Close())
}

func TestConversationThatGitEnds(t *testing.T) {
	scrub(t)
	p, err := New(repository(t)).Start(t.Context(), "update-ref", "--stdin")
	must(t, err)
	fmt.Fprintln(p.In, "nonsense")
	if _, err := p.Out.ReadString('\n'); !errors.Is(err, io.EOF) {
		t.Errorf("git went on: %v", err)
	}
	for range 100 { // into a pipe that nobody reads
		fmt.Fprintln(p.In, strings.Repeat("x", 4096))
	}
	err = p.Close()
	if ExitCode(err) != 128 || !strings.Contains(err.Error(), "unknown command: nonsense") {
		t.Errorf("exit code %d: %v", ExitCode(err), err)
	}
}
