package engine

import (
	"context"
	"errors"
	"fmt"
	"pgregory.net/rapid"
	"strings"
	"sync"
	"testing"
	"time"

	"git-flower/engine/harness"
	"git-flower/engine/harness/harnesstest"
	"git-flower/engine/spending"
	"git-flower/gitstate"
)

// sharedState is a run that other processes add to: Reload brings what they did.
type sharedState struct {
	*memoryState
	mu      sync.Mutex
	foreign []gitstate.Record
}

// add appends what somebody else recorded. The handle does not know it yet.
func (s *sharedState) add(r gitstate.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foreign = append(s.foreign, r)
}

func (s *sharedState) Append(ctx context.Context, r gitstate.Record) (gitstate.Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.foreign) > 0 {
		return gitstate.Entry{}, gitstate.ErrConflict
	}
	return s.memoryState.Append(ctx, r)
}

func (s *sharedState) Reload(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.foreign {
		s.memoryState.mu.Lock()
		s.keep(r)
		s.memoryState.mu.Unlock()
	}
	s.foreign = nil
	return nil
}

// A patient person waits until the question is called off, or is told to speak.
type patient struct {
	asked chan Question
	says  chan string
}

func newPatient() *patient { return &patient{asked: make(chan Question, 9), says: make(chan string)} }

func (p *patient) Ask(ctx context.Context, q Question) (string, error) {
	p.asked <- q
	select {
	case words := <-p.says:
		if words == "" {
			return "", ErrNobody
		}
		return words, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// driven is a rig whose run others can add to while it is driven.
type driven struct {
	*rig
	t      *testing.T
	state  *sharedState
	human  *patient
	wakes  chan struct{}
	words  chan string
	events chan Event
	heard  chan gitstate.Doc
	engine *Engine
	done   chan error
	out    Outcome
}

func drive(t *testing.T, r *rig) *driven {
	t.Helper()
	d := &driven{rig: r, t: t, state: &sharedState{memoryState: r.state}, human: newPatient(), wakes: make(chan struct{}, 1),
		words: make(chan string), events: make(chan Event, 1000), heard: make(chan gitstate.Doc, 100), done: make(chan error, 1)}
	stream := &Stream{}
	stream.Subscribe(1000, func(ev Event) { d.events <- ev })
	var err error
	d.engine, err = New(Deps{
		State: d.state, Trees: r.trees, Snapshots: r.trees, Joins: r.trees, Scenes: scenes{r.trees}, Commands: r.runs,
		Harness: r.fake, Transcripts: r.said, Human: d.human, Journal: r.journal, Clock: r.clock, Events: stream, Windows: r.windows,
		Wakes: d.wakes, Words: d.words,
	}, r.config)
	if err != nil {
		t.Fatal(err)
	}
	d.engine.ears.attend(func(docs []gitstate.Doc) {
		for _, doc := range docs {
			d.heard <- doc
		}
	})
	go func() {
		var err error
		d.out, err = d.engine.Run(t.Context())
		d.done <- err
		stream.Close()
		close(d.events)
	}()
	return d
}

func (d *driven) question() Question {
	d.t.Helper()
	select {
	case q := <-d.human.asked:
		return q
	case <-time.After(time.Minute):
		d.t.Fatal("nobody is asked")
		return Question{}
	}
}

func (d *driven) doc(q Question) gitstate.Doc {
	doc, ok := d.state.History().Find(q.Name)
	if !ok {
		d.t.Fatalf("question '%s' is not recorded", q.Name)
	}
	return doc
}

// elsewhere records from another process and knocks.
func (d *driven) elsewhere(r gitstate.Record) {
	d.state.add(r)
	d.wakes <- struct{}{}
}

func (d *driven) ends(want EndState) {
	d.t.Helper()
	select {
	case err := <-d.done:
		if err != nil || d.out.State != want {
			d.t.Fatalf("got %+v, %v\n%s", d.out, err, d.state.story())
		}
	case <-time.After(time.Minute):
		d.t.Fatal("it does not end")
	}
}

func (d *driven) answers() []gitstate.Doc { return d.state.History().Of(gitstate.KindAnswer) }

func must(t *testing.T) func(gitstate.Record, error) gitstate.Record {
	return func(r gitstate.Record, err error) gitstate.Record {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

func TestAnsweredElsewhere(t *testing.T) {
	d := drive(t, newRig().unprotected())
	q := d.question()
	d.elsewhere(must(t)(Reply(d.state.History(), d.doc(q), "2", "", d.clock.Now())))
	d.ends(EndReached)
	if a := d.answers(); len(a) != 1 || a[0].Body != "that" {
		t.Errorf("answers: %+v", a)
	}
	for ev := range d.events {
		if ev.Kind == EventAnswer && ev.Text != "that" {
			t.Errorf("shown as answered: %+v", ev)
		}
	}
}

// Both answer: whoever was recorded first counts, and there is one record.
func TestAnsweredTwice(t *testing.T) {
	d := drive(t, newRig().unprotected())
	q := d.question()
	d.state.add(must(t)(Reply(d.state.History(), d.doc(q), "that", "", d.clock.Now()))) // not known yet
	d.human.says <- "this"
	d.ends(EndReached)
	if a := d.answers(); len(a) != 1 || a[0].Body != "that" {
		t.Errorf("answers: %+v", a)
	}
}

// Nobody answers in time, and at the same moment somebody has.
func TestAnsweredAtTheLastMoment(t *testing.T) {
	d := drive(t, newRig().unprotected())
	q := d.question()
	d.state.add(must(t)(Reply(d.state.History(), d.doc(q), "that", "", d.clock.Now())))
	d.human.says <- ""
	d.ends(EndReached)
	if a := d.answers(); len(a) != 1 || a[0].Meta.State != answerGiven {
		t.Errorf("answers: %+v", a)
	}
}

// T-44: words during clarification are kept, told, and reach the goal.
func TestWordsDuringClarification(t *testing.T) {
	for name, say := range map[string]func(*driven){
		"from elsewhere": func(d *driven) { d.elsewhere(Amendment("and quickly", d.clock.Now())) },
		"typed":          func(d *driven) { d.words <- "and quickly" },
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, newRig().unprotected())
			d.question()
			say(d)
			if doc := <-d.heard; doc.Body != "and quickly" || doc.Meta.Time == "" {
				t.Errorf("heard %+v", doc)
			}
			d.human.says <- "this"
			d.ends(EndReached)
			h := d.state.History()
			added := h.Of(gitstate.KindAmendment)
			brief, _ := h.Current(gitstate.KindBrief)
			goal, _ := h.Current(gitstate.KindGoal)
			if len(added) != 1 || len(d.heard) != 0 {
				t.Fatalf("%d amendments, %d more told", len(added), len(d.heard))
			}
			if contains(brief, added[0]) || !contains(goal, added[0]) {
				t.Errorf("brief from %v, goal from %v", brief.Meta.From, goal.Meta.From)
			}
			if len(amendmentsBeside(h, brief)) != 1 {
				t.Error("the coordinator is not told of it")
			}
			queued := 0
			for ev := range d.events {
				if ev.Kind == EventAmendment && ev.State == "queued" && ev.Text == "and quickly" {
					queued++
				}
			}
			if queued != 1 {
				t.Errorf("shown %d times", queued)
			}
		})
	}
}

func contains(d, source gitstate.Doc) bool {
	return strings.Contains(strings.Join(d.Meta.From, " "), source.Name())
}

// T-65: words that come while a judge sets the goal are not taken for words
// that it heard: the goal is set again.
func TestWordsWhileTheGoalIsSet(t *testing.T) {
	r := newRig().unprotected()
	*r.answers = answers{"this"}
	var d *driven
	play := r.fake.Play
	said := false
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if has(turn.Options, "goal") && !said {
			said = true
			d.elsewhere(Amendment("and quickly", d.clock.Now()))
			<-d.heard
		}
		return play(turn)
	}
	ready := make(chan struct{})
	inner := r.fake.Play
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended { <-ready; return inner(turn) }
	d = drive(t, r)
	close(ready)
	d.question()
	d.human.says <- "this"
	d.ends(EndReached)
	goals := d.state.History().Of(gitstate.KindGoal)
	if len(goals) != 2 || len(goals[0].Meta.From) != 1 || len(goals[1].Meta.From) != 2 {
		t.Errorf("goals: %+v", goals)
	}
}

// Words that arrive as the run comes to its end are not run over.
func TestWordsAtTheEnd(t *testing.T) {
	r := newRig().unprotected()
	d := &driven{}
	play := r.fake.Play
	verdicts := 0
	ready := make(chan struct{})
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		<-ready
		ended := play(turn)
		if has(turn.Options, "verdict") {
			if verdicts++; verdicts == 2 { // the verdict that says reached is recorded
				d.state.add(Amendment("one thing more", d.clock.Now())) // and no knock comes
			}
		}
		return ended
	}
	*d = *drive(t, r)
	close(ready)
	d.question()
	d.human.says <- "this"
	if err := <-d.done; err != nil {
		t.Fatal(err)
	}
	goal, _ := d.state.History().Current(gitstate.KindGoal)
	if added := d.state.History().Of(gitstate.KindAmendment); len(added) != 1 || !contains(goal, added[0]) {
		t.Errorf("ended over it: %s", d.state.story())
	}
}

// T-35: the framework's own question is asked though no model may ask.
func TestQuestionAboutTheGoalUsesNoBudget(t *testing.T) {
	r := newRig().unprotected()
	r.config.Asks = 0
	r.runs = func(string, string) int { return 0 }
	play := r.fake.Play
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		if !has(turn.Options, "verdict") {
			return play(turn)
		}
		r.heard(turn.Options.Session)
		turn.Call("verdict", map[string]any{"state": "unreachable", "reason": "There is no such thing here."})
		return turn.Done("")
	}
	d := drive(t, r)
	q := d.question()
	if len(q.Options) != 3 || !strings.Contains(q.Text, "no such thing") {
		t.Errorf("asked %+v", q)
	}
	d.elsewhere(must(t)(Reply(d.state.History(), d.doc(q), "Accept", "", d.clock.Now())))
	d.ends(EndAccepted) // T-56: an end of its own
	if n := d.engine.asksUsed(); n != 0 {
		t.Errorf("%d questions were used up", n)
	}
}

// A clock that others move.
type moved struct {
	*stillClock
	tick chan struct{}
}

func (c *moved) Wait(ctx context.Context, d time.Duration) error {
	select {
	case <-c.tick:
		return c.stillClock.Wait(ctx, d)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func TestHeartbeat(t *testing.T) {
	clock := &moved{newStillClock(), make(chan struct{})}
	var mu sync.Mutex
	var left []float64
	stream := &Stream{}
	stream.Subscribe(10, func(ev Event) {
		mu.Lock()
		defer mu.Unlock()
		if ev.Kind == EventHeartbeat {
			left = append(left, ev.Wait)
		}
	})
	e := &Engine{deps: Deps{Clock: clock, Events: stream}, c: Config{Heartbeat: DefaultHeartbeat}, purse: &spending.Purse{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.beat(t.Context(), Event{ID: "questions/0002-x.md", Text: "Which?"}, 12*time.Minute)
	}()
	for range 3 {
		clock.tick <- struct{}{}
	}
	<-done
	stream.Close()
	if fmt.Sprint(left) != "[420 120]" {
		t.Errorf("told %v seconds", left)
	}
}

// One question at a time is on the screen; the other can be answered meanwhile.
func TestTwoQuestions(t *testing.T) {
	state := &sharedState{memoryState: newMemoryState("do it")}
	human := newPatient()
	e, err := New(Deps{State: state, Human: human, Journal: &memoryJournal{}, Clock: newStillClock(), Events: &Stream{}}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var docs [2]gitstate.Doc
	got := make(chan string, 2)
	for i := range docs {
		if docs[i], err = e.pose(t.Context(), gitstate.Meta{Call: fmt.Sprint(i)}, Question{Text: "Which?"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range docs {
		go func() {
			a, err := e.answer(t.Context(), d, Question{Text: "Which?"})
			got <- fmt.Sprint(a.Body, err)
		}()
	}
	shown := <-human.asked
	other := docs[0]
	if shown.Name == other.Name() {
		other = docs[1]
	}
	state.add(must(t)(Reply(gitstate.History{}, other, "for the other", "", time.Unix(0, 0))))
	e.hear(t.Context())
	if a := <-got; a != "for the other<nil>" {
		t.Errorf("got %s", a)
	}
	if len(human.asked) != 0 {
		t.Error("the other question was shown as well")
	}
	human.says <- "for the one"
	if a := <-got; a != "for the one<nil>" {
		t.Errorf("got %s", a)
	}
}

func TestOptionsOf(t *testing.T) {
	for body, want := range map[string]string{
		"Which?\n1. this\n2. that":          "this|that",
		"Which?":                            "",
		"Which?\n1. this\nand so on":        "",
		"Which?\n2. this\n3. that":          "",
		"1. of a list\n\nWhich?\n1. this":   "this",
		"Which?\n1. this\n3. that":          "",
		"":                                  "",
		"Which?\n1. a\n2. b. c\n3. 4. five": "a|b. c|4. five",
	} {
		if got := strings.Join(OptionsOf(gitstate.Doc{Kind: gitstate.KindQuestion, Body: body, Meta: gitstate.Meta{Call: "x"}}), "|"); got != want {
			t.Errorf("%q has options %q, want %q", body, got, want)
		}
	}
}

// What pose writes down, OptionsOf reads, and a number means its option.
func TestOptionsAreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := rapid.SliceOfN(rapid.StringMatching(`[a-z][a-z.]{0,20}( [a-z.]{1,9})?`), 1, 12).Draw(t, "options")
		state := newMemoryState("x")
		e := &Engine{deps: Deps{State: state, Clock: newStillClock(), Events: &Stream{}}, purse: &spending.Purse{}, books: &spending.Books{}, ears: newEars(gitstate.History{})}
		d, err := e.pose(context.Background(), gitstate.Meta{Call: "x"}, Question{Text: "Which?", Options: options})
		if err != nil {
			t.Fatal(err)
		}
		if got := OptionsOf(d); strings.Join(got, "|") != strings.Join(options, "|") {
			t.Fatalf("wrote %q, read %q", options, got)
		}
		n := rapid.IntRange(1, len(options)).Draw(t, "n")
		if r, err := Reply(gitstate.History{}, d, fmt.Sprint(n), "", time.Unix(0, 0)); err != nil || r.Body != options[n-1] {
			t.Fatalf("%d means %q, %v", n, r.Body, err)
		}
	})
}

// Whoever goes on by the answer is told what was chosen, not its number.
func TestReplyAboutAnUnreachableGoalSaysWhatWasChosen(t *testing.T) {
	h := working().step("work", 1, stepOK).verdict(1, "unreachable").asked().h
	question, _ := h.Current(gitstate.KindQuestion)
	for words, body := range map[string]string{
		"3": "wrong: the judge is wrong, go on", "wrong": "wrong: the judge is wrong, go on", "1": "accept: take the result as it is",
		"The disk is there.": "The disk is there.",
	} {
		r, err := Reply(h, question, words, "", time.Time{})
		if err != nil || r.Body != body {
			t.Errorf("%q is recorded as %q, %v", words, r.Body, err)
		}
	}
}

func TestReplyThatLacksTheGoal(t *testing.T) {
	q := gitstate.Doc{Kind: gitstate.KindQuestion, Counter: 9, Meta: gitstate.Meta{From: []string{"verdicts/0008-0123456789ab.md"}}}
	if _, err := Reply(gitstate.History{}, q, "2", " ", time.Unix(0, 0)); !errors.Is(err, ErrWhatGoal) {
		t.Errorf("got %v", err)
	}
	if r := must(t)(Reply(gitstate.History{}, q, "2", "less", time.Unix(0, 0))); r.Meta.State != answerChange || len(r.With) != 1 || r.With[0].Body != "less" {
		t.Errorf("got %+v", r)
	}
}

// T-53: also words that the brief holds already make the goal stale.
func TestWordsThatTheBriefHolds(t *testing.T) {
	r := newRig().unprotected()
	*r.answers = answers{"this"}
	if _, err := r.run(t); err != nil {
		t.Fatal(err)
	}
	r.state.keep(Amendment("it", r.clock.Now()))
	if a, ok := Next(Builtin(r.config.Limits), r.state.History(), r.config.Limits).(Attempt); !ok || a.Step.Makes != gitstate.KindGoal {
		t.Errorf("next comes %+v", a)
	}
}

// T-43 and T-52: killed while it clarified, the session goes on where it was and
// hears what was said since; nothing is asked twice.
func TestWordsAfterAnInterruptedClarification(t *testing.T) {
	r := newRig().unprotected()
	*r.answers = answers{"this"}
	r.state.die = func(m string) bool { return m == "before brief" }
	if _, err := r.run(t); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	r.state.die = nil
	r.state.keep(Amendment("another request", r.clock.Now()))
	heard := ""
	play := r.fake.Play
	r.fake.Play = func(turn *harnesstest.FakeTurn) harness.Ended {
		for _, m := range turn.Said {
			if Role(turn.Options.Role) == Clarifier {
				heard += m.Text
			}
		}
		if Role(turn.Options.Role) == Clarifier {
			r.heard(turn.Options.Session)
			return turn.Done(wholeBrief)
		}
		return play(turn)
	}
	r.config.Wake = "w2"
	o, err := r.run(t)
	if err != nil || o.State != EndReached {
		t.Fatalf("got %+v, %v", o, err)
	}
	if !strings.Contains(heard, "another request") || strings.Contains(heard, "# Request") {
		t.Errorf("the clarifier was told:\n%s", heard)
	}
	if n := strings.Count(r.state.story(), "question"); n != 1 {
		t.Errorf("%d questions", n)
	}
}
