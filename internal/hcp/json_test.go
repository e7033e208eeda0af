package hcp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseJSONStrict(t *testing.T) {
	cases := []struct{ in, want, err string }{
		{`{"b":1,"a":[2.80,1e21,true,null,"x"]}`, `{"b":1,"a":[2.80,1e21,true,null,"x"]}`, ""},
		{` "tab\t\u00e9\ud83d\ude00\/" `, `"tab\té😀/"`, ""},
		{`12345678901234567890`, `12345678901234567890`, ""},
		{`{}`, `{}`, ""},
		{`[]`, `[]`, ""},
		{``, ``, "empty input"},
		{` `, ``, "empty input"},
		{`{"a":1,"a":1}`, ``, `duplicate key "a"`},
		{`{"a":1,"\u0061":1}`, ``, `duplicate key "a"`},
		{`{"a":1} x`, ``, "not JSON"},
		{`{"a":1}{}`, ``, "not JSON"},
		{`{'a':1}`, ``, "not JSON"},
		{`"\ud800"`, ``, "half a surrogate"},
		{`"\ud800\u0041"`, ``, "half a surrogate"},
		{"\"\xff\"", ``, "not UTF-8"},
		{`01`, ``, "not JSON"},
		{`NaN`, ``, "not JSON"},
		{`[[[[[[[[[1]]]]]]]]]`, ``, "nested too deep"},
		{`[[[[[[[[1]]]]]]]]`, `[[[[[[[[1]]]]]]]]`, ""},
	}
	for _, c := range cases {
		v, err := ParseJSON([]byte(c.in), 8)
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %q", c.in, err, c.err)
		case c.err == "" && err != nil:
			t.Errorf("%s: %v", c.in, err)
		case c.err == "" && string(v.AppendJSON(nil)) != c.want:
			t.Errorf("%s: wrote %s, want %s", c.in, v.AppendJSON(nil), c.want)
		}
	}
}

// A name that comes after the sixteenth goes through the set; both ways must
// find a duplicate.
func TestParseJSONDuplicateInLargeObject(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"k0":0`)
	for i := 1; i < 100; i++ {
		b.WriteString(`,"k` + strings.Repeat("x", i) + `":0`)
	}
	whole := b.String() + `}`
	if _, err := ParseJSON([]byte(whole), 8); err != nil {
		t.Fatal(err)
	}
	for _, dup := range []string{"k0", "k" + strings.Repeat("x", 99)} {
		if _, err := ParseJSON([]byte(b.String()+`,"`+dup+`":0}`), 8); err == nil {
			t.Errorf("duplicate %s not found", dup)
		}
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\u00e9\ud83d\ude00",-0.5e-7]}`, `[]`, `"\\\""`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseJSON(data, 64)
		if err != nil {
			return
		}
		if !json.Valid(data) || !utf8.Valid(data) {
			t.Fatalf("took what is not JSON: %q", data)
		}
		out := v.AppendJSON(nil)
		again, err := ParseJSON(out, 64)
		if err != nil {
			t.Fatalf("does not read its own %q: %v", out, err)
		}
		if string(again.AppendJSON(nil)) != string(out) {
			t.Fatalf("not stable: %q", out)
		}
		var a, b any
		if json.Unmarshal(data, &a) == nil && json.Unmarshal(out, &b) == nil {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			if string(x) != string(y) {
				t.Fatalf("meaning changed: %q to %q", data, out)
			}
		}
	})
}

//
func TestCLIText(t *testing.T) {
	cases := []struct{ in, want string }{
		{`"2.80"`, "2.80"}, {`2.80`, "2.8"}, {`-0`, "0"}, {`1e21`, "1e+21"}, {`1.0`, "1"},
		{`-0.0`, "0"}, {`123456789012345678901234567890`, "123456789012345678901234567890"},
		{`9007199254740993`, "9007199254740993"}, {`1e-7`, "1e-7"}, {`0.000001`, "0.000001"},
		{`1.5e300`, "1.5e+300"}, {`1E2`, "100"}, {`true`, "true"}, {`false`, "false"},
		{`null`, ""}, {`["a","b",3]`, "a,b,3"}, {`[]`, ""}, {`123456789.5e12`, "123456789500000000000"},
	}
	for _, c := range cases {
		v, err := ParseJSON([]byte(c.in), 4)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := CLIText(v); !ok || got != c.want {
			t.Errorf("%s renders %q %v, want %q", c.in, got, ok, c.want)
		}
	}
	for _, in := range []string{`{}`, `[{}]`, `1e999`} {
		v, _ := ParseJSON([]byte(in), 4)
		if got, ok := CLIText(v); ok {
			t.Errorf("%s has no CLI form but gave %q", in, got)
		}
	}
}
