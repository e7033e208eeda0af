package hcp

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"reflect"
	"strings"
	"testing"
)

const canary = "canary-7f3e9b21/&\"x+z"

// P-7: a Secret shows itself to nobody, however it is printed, logged, encoded
// or wrapped.
func TestSecretNeverShows(t *testing.T) {
	s := NewSecret(canary)
	type hidden struct {
		name  string
		value Secret
		list  []Secret
		byKey map[string]Secret
		any   any
	}
	type open struct {
		Value Secret
		Ptr   *Secret
	}
	inner := hidden{"n", s, []Secret{s}, map[string]Secret{"k": s}, s}
	var out bytes.Buffer
	for _, v := range []any{s, &s, inner, &inner, open{s, &s}, []Secret{s}, map[string]any{"k": s}, errors.Join(fmt.Errorf("bad: %v", s)), [1]Secret{s}} {
		for verb := 'A'; verb <= 'z'; verb++ {
			fmt.Fprintf(&out, "%"+string(verb)+" %+"+string(verb)+" %#"+string(verb)+" %10.3"+string(verb)+"\n", v, v, v, v)
		}
		fmt.Fprintln(&out, v)
		_ = json.NewEncoder(&out).Encode(v)
		_ = xml.NewEncoder(&out).Encode(v)
		_ = gob.NewEncoder(&out).Encode(v)
		log.New(&out, "", 0).Print(v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("m", "secret", v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("m", "secret", v)
		fmt.Fprint(&out, reflect.ValueOf(v))
	}
	out.WriteString(s.String() + s.GoString())
	for _, piece := range []string{canary, canary[:12], "7f3e9b21"} {
		if i := strings.Index(out.String(), piece); i >= 0 {
			t.Fatalf("shown: …%s…", out.String()[max(0, i-80):min(out.Len(), i+80)])
		}
	}
	if s.Reveal() != canary || (Secret{}).Reveal() != "" {
		t.Error("the value does not come out by the one way there is")
	}
}

func TestSecretForms(t *testing.T) {
	s := NewSecret(canary)
	js, _ := json.Marshal(map[string]Secret{"a": s, "b": {}})
	for name, got := range map[string]string{"%v": fmt.Sprint(s), "%#v": fmt.Sprintf("%#v", s), "%d": fmt.Sprintf("%d", s),
		"zero": fmt.Sprint(Secret{})} {
		if got != Mask {
			t.Errorf("%s gives %q", name, got)
		}
	}
	if string(js) != `{"a":"[redacted]","b":"[redacted]"}` {
		t.Errorf("JSON: %s", js)
	}
	if !s.Equal(NewSecret(canary)) || s.Equal(Secret{}) || !(Secret{}).Equal(NewSecret("")) {
		t.Error("Equal is wrong")
	}
}
