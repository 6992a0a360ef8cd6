package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"git-flower/engine"
	"git-flower/gitstate"
)

func answerCommand() *command {
	return &command{
		name: "answer", group: everyday, personal: true, args: -1,
		summary:  "answer a question of a run",
		synopsis: []string{"[--run <run>]", "[--run <run>] [<question>] <words>...", "[--run <run>] [<question>] -F <file>", "[--run <run>] [<question>] --goal <words>"},
		prose: `Answers a question that a run waits with, from any terminal. Without words,
lists the open questions. <question> is the number that stands before a question;
it can be left out when only one is open. An option is chosen by its number or by
its whole text; anything else is an answer in your own words.

Where the judge holds the goal to be unreachable, --goal says what the goal is
instead; the checks are derived anew. An answer is recorded once; whoever is first
counts.`,
		options: []option{runOption(), fileOption(),
			{long: "goal", value: "<words>", text: "change an unreachable goal into this"}},
		exits: exits(1, 2),
		run:   runAnswer,
	}
}

func runAnswer(ctx context.Context, env *Env, c *call) error {
	store, run, err := env.choose(ctx, c.text("run"), func(s gitstate.Summary) bool { return stateOf(s) == stateWaiting })
	if err != nil {
		return err
	}
	if len(c.args) == 0 && !c.given("file") && !c.given("goal") {
		return env.listQuestions(ctx, run)
	}
	asked, args, err := env.question(ctx, c, run)
	if err != nil {
		return err
	}
	words := "change"
	if !c.given("goal") || len(args) > 0 {
		if words, err = env.spoken(ctx, c, args); err != nil {
			return err
		}
	}
	d, err := add(ctx, run, func(h gitstate.History) (gitstate.Record, error) {
		if old, ok := engine.Answered(h, asked); ok {
			return gitstate.Record{}, answeredAlready(asked, old)
		}
		return engine.Reply(h, asked, words, c.text("goal"), env.Now())
	})
	if errors.Is(err, engine.ErrWhatGoal) {
		return c.usagef("say with --goal what the goal is instead")
	}
	if err != nil {
		return err
	}
	return env.pass(ctx, store, run, d)
}

func answeredAlready(asked, old gitstate.Doc) error {
	how := fmt.Sprintf("with '%s'", cut(firstLine(old.Body), 60))
	if old.Body == "" {
		how = "by who asked it, since nobody did in time"
	}
	return endf(endFatal, `"git flower say <words>" adds to what is wanted`,
		"question %s was answered %s", number(asked.Name()), how)
}

// question finds the question that is meant: the one whose number stands before
// the words, else the only one that is open.
func (e *Env) question(ctx context.Context, c *call, run *gitstate.Run) (asked gitstate.Doc, words []string, err error) {
	h := run.History()
	if len(c.args) > 1 || len(c.args) == 1 && (c.given("file") || c.given("goal")) {
		for _, q := range h.Of(gitstate.KindQuestion) {
			if number(q.Name()) == strings.TrimLeft(c.args[0], "0") || q.Name() == c.args[0] {
				return q, c.args[1:], nil
			}
		}
	}
	open := engine.OpenQuestions(h)
	switch len(open) {
	case 0:
		return asked, nil, noQuestion(run)
	case 1:
		return open[0], c.args, nil
	}
	if err := e.listQuestions(ctx, run); err != nil {
		return asked, nil, err
	}
	return asked, nil, endf(endPerson, fmt.Sprintf("put its number first: git flower answer %s '<words>'", number(open[0].Name())),
		"run '%s' has %d open questions", run.Name(), len(open))
}

func noQuestion(run *gitstate.Run) error {
	return endf(endNo, fmt.Sprintf(`"git flower say --run %s <words>" adds to what is wanted`, run.Name()),
		"run '%s' has no open question", run.Name())
}

// listQuestions prints the open questions, each with its number.
func (e *Env) listQuestions(ctx context.Context, run *gitstate.Run) error {
	open := engine.OpenQuestions(run.History())
	if len(open) == 0 {
		return noQuestion(run)
	}
	l := e.look(ctx)
	var b strings.Builder
	for _, q := range open {
		label := pad(number(q.Name()), 5)
		for text := range strings.SplitSeq(strings.TrimSpace(sanitise(q.Body)), "\n") {
			b.WriteString(strings.TrimRight(l.paint(asks, label)+text, " ") + "\n")
			label = "     "
		}
	}
	return write(e.Out, b.String())
}
