package gitstate

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
)

// A user's gc takes folders of objects away that are empty for an instant.
func TestFoldersOfObjectsMayGo(t *testing.T) {
	dir := t.TempDir()
	w := nativeWriter{dir: dir, noSync: true}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			folders, _ := filepath.Glob(filepath.Join(dir, "??"))
			for _, folder := range folders {
				_ = os.Remove(folder) // one that is not empty stays
			}
		}
	}()
	for i := range 1000 {
		data := fmt.Appendf(nil, "object %d", i)
		o := object{kind: "blob", id: ObjectID(plumbing.ComputeHash(plumbing.BlobObject, data).String()), data: data}
		if err := w.write(t.Context(), []object{o}); err != nil {
			t.Fatal(i, err)
		}
		if !whole(w.path(o.id)) {
			t.Fatal(i, "it is not there")
		}
		if err := os.Remove(w.path(o.id)); err != nil {
			t.Fatal(err)
		}
	}
	close(stop)
	<-stopped
}
