package pack

import (
	"strings"
	"testing"
)

func TestResultPathsArePlain(t *testing.T) { // C-3: no queries, no modifiers
	result := []byte(`{"a":{"b":["x","y"],"*":"star","@this":"at","a b":"space","#":"hash"},"!":"bang","n":1.50}`)
	for path, want := range map[string]string{
		"a.b.1": "y", "a.b": "x,y", "a.*": "star", "a.@this": "at", "a.a b": "space", "a.#": "hash", "!": "bang", "n": "1.5",
		"@this": "", "a.b.#": "", "a.b.@reverse": "", "a.?": "", "a|b": "", "a.b.#(x==1)": "", `!"static"`: "", "a": "", "..": "", "z": "", "a.b.9": "",
		"@valid": "", "[n]": "", `a\.b`: "",
	} {
		if got := resultText(result, path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
	c := &Command{Title: Title{Done: []string{"{{result.a}", "never"}}}
	if got, ok := c.DoneTitle(nil, []byte(`{"a"`)); !ok || got != "{{result.a}" { // no placeholder: text
		t.Errorf("%q", got)
	}
}

func TestTitleDoesNotSeeTheProtocol(t *testing.T) {
	c := &Command{Title: Title{Live: []string{"x {{confirm}}", "y {{mode}}", "plain"}}, Preview: []string{"{{apply}}"}}
	args := argsOf(t, []byte(`{"confirm":true,"apply":true,"mode":"mock"}`))
	if got, _ := c.LiveTitle(args); got != "plain" {
		t.Error(got)
	}
	if lines := c.PreviewLines(args); lines != nil {
		t.Error(lines)
	}
}

func TestTitleResultOnlyWhenDone(t *testing.T) { // C-3
	c := &Command{Title: Title{Live: []string{"{{result.a}}"}, Done: []string{"{{result.a}} {{result.a}}"}}}
	if got, ok := c.LiveTitle(argsOf(t, []byte(`{"result":{"a":1}}`))); ok {
		t.Error(got)
	}
	if got, _ := c.DoneTitle(nil, []byte(`{"a":"`+strings.Repeat("x", 70)+`"}`)); got != strings.Repeat("x", 60)+" "+strings.Repeat("x", 60) {
		t.Error(got)
	}
	if names := strings.Join(TitleNames("{{a}} {{ b }} {{result.c.d}} {{result.}} {{1}}"), " "); names != "a result.c.d" {
		t.Error(names)
	}
}
