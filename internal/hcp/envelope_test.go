package hcp

import (
	"fmt"
	"strings"
	"testing"
)

// E-1, E-2, E-8 and the limits of formats.md.
func TestDecodeEnvelope(t *testing.T) {
	deep := strings.Repeat("[", 6) + strings.Repeat("]", 6)
	var many []string
	for i := range 65 {
		many = append(many, fmt.Sprintf(`"a%d":1`, i))
	}
	cases := []struct{ in, pack, verb, err string }{
		{`{"pack_id":"a","verb_key":"b"}`, "a", "b", ""},
		{`{"surface_id":"a","verb_key":"b","args":{}}`, "a", "b", ""},
		{`{"pack_id":"a","surface_id":"a","verb_key":"b"}`, "a", "b", ""},
		{`{"pack_id":"a","surface_id":"c","verb_key":"b"}`, "a", "b", "invalid envelope: pack_id and surface_id differ"},
		{`{"verb_key":"b"}`, "", "b", "invalid envelope: pack_id missing"},
		{`{"pack_id":"a"}`, "a", "", "invalid envelope: verb_key missing"},
		{`{"PACK_ID":"a","verb_key":"b"}`, "", "b", "invalid envelope: pack_id missing"},
		{`{"pack_id":"a","verb_key":"b","arguments":{}}`, "a", "b", `invalid envelope: unknown field "arguments"`},
		{`{"pack_id":7,"verb_key":"b"}`, "", "b", "invalid envelope: pack_id is not a string"},
		{`{"pack_id":"a","verb_key":null}`, "a", "", "invalid envelope: verb_key is not a string"},
		{`{"pack_id":"a","verb_key":"b","args":[]}`, "a", "b", "invalid envelope: args is not an object"},
		{`{"pack_id":"a","verb_key":"b","args":null}`, "a", "b", "invalid envelope: args is not an object"},
		{`[]`, "", "", "invalid envelope: not a JSON object"},
		{`null`, "", "", "invalid envelope: not a JSON object"},
		{``, "", "", "invalid envelope: empty input"},
		{`{"pack_id":"a","pack_id":"a"}`, "", "", `invalid envelope: duplicate key "pack_id"`},
		{`{"pack_id":"a","verb_key":"b","args":{"x":1,"x":1}}`, "", "", `invalid envelope: duplicate key "x"`},
		{`{"pack_id":"a","verb_key":"b","args":{"x":` + deep + `}}`, "a", "b", ""},
		{`{"pack_id":"a","verb_key":"b","args":{"x":[` + deep + `]}}`, "", "", "invalid envelope: nested deeper than 8"},
		{`{"pack_id":"a","verb_key":"b","args":{` + strings.Join(many, ",") + `}}`, "a", "b", "invalid envelope: more than 64 args"},
		{`{"pack_id":"a","verb_key":"b","args":{"x":"` + strings.Repeat("x", MaxValue) + `"}}`, "a", "b", ""},
		{`{"pack_id":"a","verb_key":"b","args":{"x":"` + strings.Repeat("x", MaxValue+1) + `"}}`, "a", "b", `invalid envelope: argument "x" exceeds 64 KiB`},
		{strings.Repeat(" ", MaxEnvelope+1), "", "", "invalid envelope: larger than 1 MiB"},
	}
	for _, c := range cases {
		e, d := DecodeEnvelope([]byte(c.in))
		got := ""
		if d != nil {
			got = d.Message
		}
		if got != c.err || e.PackID != c.pack || e.VerbKey != c.verb {
			t.Errorf("%.60s: %q %q %q, want %q %q %q", c.in, e.PackID, e.VerbKey, got, c.pack, c.verb, c.err)
		}
	}
}

// E-3: JSON booleans, nothing else. E-4.
func TestReservedArgs(t *testing.T) {
	for in, want := range map[string]bool{
		`{"confirm":true}`: true, `{"apply":true}`: true, `{"confirm":false,"apply":true}`: true,
		`{"confirm":"true"}`: false, `{"confirm":1}`: false, `{"Confirm":true}`: false, `{}`: false, `{"confirm":[true]}`: false,
	} {
		v, err := ParseJSON([]byte(in), 4)
		if err != nil {
			t.Fatal(err)
		}
		if got := Args(v.Members).Confirmed(); got != want {
			t.Errorf("%s confirmed %v", in, got)
		}
	}
	if !(Args{{ArgMode, StringValue("mock")}}).Mock() || (Args{{ArgMode, BoolValue(true)}}).Mock() || (Args{{ArgMode, StringValue("MOCK")}}).Mock() {
		t.Error("mode: mock is that string only")
	}
}

// The spec's strings, exact (P-1 … P-8, A-2).
func TestDenialStrings(t *testing.T) {
	long := strings.Repeat("x", 70)
	for want, d := range map[string]*Denial{
		"unknown pack nope":                                   UnknownPack("nope"),
		`unknown pack "../etc"`:                               UnknownPack("../etc"),
		`unknown pack "a\x1b[2J"`:                             UnknownPack("a\x1b[2J"),
		`unknown pack "` + long[:64] + `…"`:                   UnknownPack(long),
		"pack ledger not activated":                           NotActivated("ledger"),
		"no policy for mail.list":                             NoPolicy("mail.list"),
		`no policy for "a b"`:                                 NoPolicy("a b"),
		`no policy for ""`:                                    NoPolicy(""),
		"denied: privacy.land brain requires project_id":      NeedsProject(),
		"denied: privacy.land moon unknown":                   UnknownLand("moon"),
		"denied: missing verb.exec.write for ledger.transfer": MissingCapability(CapWrite, "ledger", "transfer"),
		"confirm required":                                    ConfirmRequired(),
		"denied: binding user for gh: not configured":         BindingDenied("user", "gh", "not configured"),
		`sandbox: bin "gh" not allowlisted`:                   NotAllowlisted("gh"),
		`sandbox: bin "./bin/x" not found`:                    BinNotFound("./bin/x"),
		"sandbox: host path not allowed":                      HostPath(),
		`sandbox: argument "payee" looks like a flag`:         LooksLikeFlag("payee"),
		"adapter sense_only not executable in hcp":            AdapterKind("sense_only"),
		"recursive call: ledger.transfer":                     Recursive("ledger", "transfer"),
	} {
		if d.Message != want {
			t.Errorf("%q, want %q", d.Message, want)
		}
	}
	if NotAllowlisted("x").Exit != 127 || BinNotFound("x").Exit != 127 {
		t.Error("a bin that may not run is exit 127 (R-13)")
	}
}

// E-5, E-8: key order, HTML not escaped, one line.
func TestResultJSON(t *testing.T) {
	out, errOut, exit := "{}\n<&>", "", 0
	r := Result{OK: true, PackID: "p", VerbKey: "v", Result: []byte(`{"z":2.80}`), Stdout: &out, Stderr: &errOut, Exit: &exit, Sandbox: "process"}
	want := `{"ok":true,"pack_id":"p","verb_key":"v","result":{"z":2.80},"stdout":"{}\n<&>","stderr":"","exit":0,"sandbox":"process"}`
	if got := string(r.AppendJSON(nil)); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	r = Refuse(Envelope{PackID: "p"}, ConfirmRequired().WithHint("say so"))
	want = `{"ok":false,"pack_id":"p","verb_key":"","error":"confirm required","hint":"say so"}`
	if got := string(r.AppendJSON(nil)); got != want || r.Code != 1 {
		t.Errorf("%s\nwant %s", got, want)
	}
}

func TestRuleCovers(t *testing.T) {
	r := Rule{Principal: "*", Capability: CapRead, Packs: []string{"mail"}, Verbs: []string{"mail.*", "find"}}
	for verb, want := range map[string]bool{"mail.a": true, "mail.a.b": true, "mail": false, "mailx": false, "find": true, "finder": false, "mail.": false} {
		if got := r.Covers("user:anna", CapRead, "mail", verb); got != want {
			t.Errorf("%s covered %v", verb, got)
		}
	}
	if r.Covers("user:anna", CapWrite, "mail", "find") || r.Covers("user:anna", CapRead, "ledger", "find") {
		t.Error("capability and pack must fit")
	}
	if !(Rule{}).Covers("user:anna", CapRead, "mail", "x") {
		t.Error("a deny without fields covers all")
	}
}
