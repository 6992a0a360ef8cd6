package plugin

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
)

// Write lays out, in an empty folder, what of the pack may be loaded by whoever
// runs a session: its name, and its skills with their files. The folder is a pack
// itself; see the package's promise of what is not in it.
func (p *Pack) Write(dir string) error {
	root, err := os.OpenRoot(dir)
	if err == nil {
		err = errors.Join(p.write(root), root.Close())
	}
	if err != nil {
		return fmt.Errorf("lay out pack '%s': %w", p.Name, err)
	}
	return nil
}

func (p *Pack) write(root *os.Root) error {
	manifest, err := json.Marshal(struct {
		Name        string `json:"name"`
		Version     string `json:"version,omitempty"`
		Description string `json:"description,omitempty"`
	}{p.Name, p.Version, p.Description})
	if err != nil {
		return err
	}
	if err := place(root, ManifestFile, manifest); err != nil {
		return err
	}
	for _, s := range p.Skills {
		text, err := s.text()
		if err == nil {
			err = place(root, path.Join(s.Dir(), skillFile), text)
		}
		for _, name := range slices.Sorted(maps.Keys(s.Files)) {
			err = errors.Join(err, place(root, path.Join(s.Dir(), name), s.Files[name]))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// text is the skill's file with nothing in its head but name and description.
func (s Skill) text() ([]byte, error) {
	var b bytes.Buffer
	words := json.NewEncoder(&b) // a text of JSON is one of YAML
	words.SetEscapeHTML(false)
	b.WriteString("---\nname: " + s.Name + "\ndescription: ")
	if err := words.Encode(s.Description); err != nil {
		return nil, err
	}
	b.WriteString("---\n\n" + s.Body + "\n")
	return b.Bytes(), nil
}

// place makes a new file that nobody changes; a script can be run.
func place(root *os.Root, name string, data []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	mode := fs.FileMode(0o444)
	if strings.HasPrefix(string(data[:min(2, len(data))]), "#!") {
		mode = 0o555
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Close())
}
