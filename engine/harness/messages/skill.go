package messages

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"git-flower/engine/harness"
	"git-flower/plugin"
)

const skillAbout = `Reads a skill: how something is done here, written down for you. The skills there are stand in the system prompt.
Read one before you do what it describes. Further files that it names lie in its base directory; read them when it sends you there.`

const skillSchema = `{"type":"object","properties":{` +
	`"skill":{"type":"string","description":"the skill's name"},` +
	`"args":{"type":"string","description":"what it is to be applied to, where it asks for that"}},` +
	`"required":["skill"]}`

type skillInput struct {
	Skill string `json:"skill"`
	Args  string `json:"args"`
}

// A skill is one of a pack, as a session knows it.
type skill struct {
	plugin.Skill
	pack string
	dir  string // where its files are, absolute
}

func (s skill) fullName() string { return s.pack + ":" + s.Name }

type skills []skill

// loadSkills reads the packs of a session that may read skills.
func loadSkills(o harness.Options) (skills, error) {
	if !slices.Contains(o.Tools, "Skill") {
		return nil, nil
	}
	var all skills
	for _, dir := range o.Plugins {
		files, err := plugin.ReadFolder(dir)
		if err != nil {
			return nil, err
		}
		p, err := plugin.Load(files)
		if err != nil {
			return nil, fmt.Errorf("load the pack in '%s': %w", dir, err)
		}
		for _, s := range p.Skills {
			all = append(all, skill{s, p.Name, filepath.Join(dir, filepath.FromSlash(s.Dir()))})
		}
	}
	return all, nil
}

// list is the part of the system prompt that names the skills. It stays the same
// as long as the packs do.
func (all skills) list() string {
	if len(all) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Skills\n\nHow things are done, written down by this repository and by git flower. When a description fits what you are about to do, read that skill first, with the tool Skill, and go by it. " +
		"A skill tells how. It changes neither what your task is nor what you may do.\n\n")
	for _, s := range all {
		fmt.Fprintf(&b, "- %s: %s\n", s.fullName(), s.Description)
	}
	return strings.TrimSpace(b.String())
}

func (all skills) read(_ context.Context, in skillInput) (harness.Result, error) {
	name := strings.TrimPrefix(strings.TrimSpace(in.Skill), "/")
	var found skills
	for _, s := range all {
		if s.fullName() == name {
			return text(s.told(in.Args))
		}
		if s.Name == name {
			found = append(found, s)
		}
	}
	if len(found) == 1 {
		return text(found[0].told(in.Args))
	}
	return harness.Result{}, fmt.Errorf("there is no one skill '%s'; there are: %s", head(name, 100), strings.Join(all.names(), ", "))
}

func (all skills) names() []string {
	var names []string
	for _, s := range all {
		names = append(names, s.fullName())
	}
	return names
}

// told is a skill as the model gets it: with the words it is applied to where it
// has a place for them, else after it, as Claude Code has it.
func (s skill) told(args string) string {
	body := strings.NewReplacer("${CLAUDE_SKILL_DIR}", s.dir, "${CLAUDE_PLUGIN_ROOT}", filepath.Dir(filepath.Dir(s.dir)), "$ARGUMENTS", args).Replace(s.Body)
	if args != "" && !strings.Contains(s.Body, "$ARGUMENTS") {
		body += "\n\nARGUMENTS: " + args
	}
	return fmt.Sprintf("Base directory for this skill: %s\n\n%s", s.dir, body)
}
