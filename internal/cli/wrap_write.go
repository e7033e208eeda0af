package cli

import (
	"time"

	"hcp/internal/scaffold"
)

// written is what --json says about a draft.
type written struct {
	PackID   string            `json:"pack_id"`
	Path     string            `json:"path"`
	Files    []string          `json:"files"`
	Commands []writtenCommand  `json:"commands"`
	LeftOut  []writtenLeft     `json:"left_out"`
	Notes    []writtenNote     `json:"notes"`
	Bin      map[string]string `json:"bin"`
}

type writtenCommand struct {
	Command string          `json:"command"`
	Effect  scaffold.Effect `json:"effect"`
	Why     string          `json:"why"`
	JSON    []string        `json:"json"` // null: none; []: JSON is the default
}

type writtenLeft struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}

type writtenNote struct {
	Where string `json:"where"`
	What  string `json:"what"`
}

// write drafts the pack and puts it in its place.
func (w *wrapping) write(tool *scaffold.Tool, choice scaffold.Choice, began time.Time) error {
	draft, err := scaffold.Draft(tool, choice.Commands, scaffold.DraftOptions{ID: w.pack, Bin: w.bin.found.Bin})
	if err != nil {
		return err
	}
	var asked []scaffold.Asked
	if w.prober != nil {
		asked = w.prober.probes()
	}
	files := append(draft.Files, scaffold.File{Name: scaffold.LockFile, Data: scaffold.LockOf(tool, asked).Encode()})
	if err := writeDraft(w.target, w.shown, files); err != nil {
		return err
	}
	w.done = true
	choice.Notes = append(choice.Notes, draft.Notes...)
	choice.Commands, choice.Left = draft.Commands, append(choice.Left, draft.Left...)
	if w.JSON {
		w.print(w.report(tool, choice, files))
	}
	w.summary(tool, choice, w.store.env.Now().Sub(began))
	return nil
}

func (w *wrapping) report(tool *scaffold.Tool, choice scaffold.Choice, files []scaffold.File) written {
	out := written{PackID: w.pack, Path: w.target, Files: []string{}, Commands: []writtenCommand{}, LeftOut: []writtenLeft{}, Notes: []writtenNote{},
		Bin: map[string]string{"bin": w.bin.found.Bin, "path": w.id.Path, "sha256": w.id.SHA256}}
	for _, f := range files {
		out.Files = append(out.Files, f.Name)
	}
	for _, c := range choice.Commands {
		out.Commands = append(out.Commands, writtenCommand{spaced(c.Path), c.Drafted(), c.Why, c.JSON})
	}
	for _, l := range choice.Left {
		out.LeftOut = append(out.LeftOut, writtenLeft{spaced(l.Path), l.Why})
	}
	for _, n := range append(append([]scaffold.Note{}, tool.Notes...), choice.Notes...) {
		out.Notes = append(out.Notes, writtenNote(n))
	}
	return out
}
