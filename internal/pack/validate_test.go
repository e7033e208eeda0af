package pack

import (
	"strings"
	"testing"

	"hcp/internal/hcp"
)

// oneArg makes a pack with one command that takes v under the given schema.
func oneArg(t testing.TB, schema string, required bool) (*Pack, *Command) {
	t.Helper()
	req := ""
	if required {
		req = `"required":["v"],`
	}
	p, err := Parse("", surface(`,"verbs":{"a":{"cli":["p","a","{{v}}"],"args":{`+req+`"properties":{"v":`+schema+`}}}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	return p, &p.Commands[0]
}

func TestValidate(t *testing.T) { // formats.md: judged by how it is written
	cases := []struct{ schema, value, want string }{
		{`{"type":"integer"}`, `5`, ""}, {`{"type":"integer"}`, `"5"`, ""}, {`{"type":"integer"}`, `"-5"`, ""},
		{`{"type":"integer"}`, `5.0`, ""}, {`{"type":"integer"}`, `"5.0"`, ""}, {`{"type":"integer"}`, `1e2`, ""},
		{`{"type":"integer"}`, `5.5`, "v is not an integer"}, {`{"type":"integer"}`, `"5.5"`, "v is not an integer"},
		{`{"type":"integer"}`, `"05"`, "v is not an integer"}, {`{"type":"integer"}`, `"+5"`, "v is not an integer"},
		{`{"type":"integer"}`, `" 5"`, "v is not an integer"}, {`{"type":"integer"}`, `"0x10"`, "v is not an integer"},
		{`{"type":"integer"}`, `true`, "v is not an integer"}, {`{"type":"integer"}`, `[5]`, "v is not an integer"},
		{`{"type":"integer"}`, `123456789012345678901234567890`, ""},
		{`{"type":"integer"}`, `"1e999999999"`, "v is not an integer"},
		{`{"type":"integer"}`, `"1e-999999999"`, "v is not an integer"},
		{`{"type":"number"}`, `"2.80"`, ""}, {`{"type":"number"}`, `2.80`, ""}, {`{"type":"number"}`, `"1e999"`, "v is not a number"},
		{`{"type":"number"}`, `"payee=x"`, "v is not a number"}, {`{"type":"number"}`, `"NaN"`, "v is not a number"}, {`{"type":"number"}`, `"1_000"`, "v is not a number"},
		{`{"type":"string"}`, `5`, ""}, {`{"type":"string"}`, `true`, ""}, {`{"type":"string"}`, `["a"]`, "v is not a string"}, {`{"type":"string"}`, `{"a":1}`, "v is not a string"},
		{`{"type":"boolean"}`, `true`, ""}, {`{"type":"boolean"}`, `"false"`, ""}, {`{"type":"boolean"}`, `"yes"`, "v is not a boolean"},
		{`{"type":["integer","boolean"]}`, `"x"`, "v is not an integer or a boolean"}, {`{"type":["integer","boolean"]}`, `"true"`, ""},
		{`{"enum":["open","5"]}`, `5`, ""}, {`{"enum":["open",5]}`, `"5"`, ""}, {`{"enum":["open","in work"]}`, `"shut"`, `v is not one of open, "in work"`},
		{`{"minimum":1,"maximum":9007199254740992}`, `9007199254740993`, "v is above 9007199254740992"},
		{`{"minimum":1}`, `"0.99999999999999999999999"`, "v is below 1"}, {`{"minimum":0.1}`, `"0.1"`, ""}, {`{"maximum":10}`, `"1e1"`, ""},
		{`{"pattern":"^[a-z]+$"}`, `"abc"`, ""}, {`{"pattern":"b"}`, `"abc"`, ""}, {`{"pattern":"^[a-z]+$"}`, `"Abc"`, "v does not match ^[a-z]+$"},
		{`{"pattern":"("}`, `"x"`, "v cannot be checked: its pattern is broken"},
		{`{"pattern":"^\\d\\.\\d\\d$"}`, `"2.80"`, ""}, {`{"pattern":"^\\d\\.\\d\\d$"}`, `2.80`, `v does not match ^\d\.\d\d$`},
		{`{"type":"array","items":{"type":"integer"}}`, `[1,"2"]`, ""}, {`{"type":"array","items":{"type":"integer"}}`, `"3"`, ""},
		{`{"type":"array","items":{"type":"integer"}}`, `[1,"x"]`, "v holds a value that is not an integer"},
		{`{"type":"array","items":{"type":"integer"}}`, `"x"`, "v holds a value that is not an integer"},
		{`{"type":"array","items":{"enum":["a"]}}`, `["a","b"]`, "v holds a value that is not one of a"},
		{`{"enum":["--draft"]}`, `true`, ""}, {`{"enum":["--draft"]}`, `"true"`, ""}, {`{"enum":["--draft"]}`, `"--draft"`, ""}, {`{"enum":["--draft"]}`, `false`, ""},
		{`{"enum":["--draft"]}`, `"--force"`, "v is not one of --draft"}, {`{"type":"string","enum":["--draft"]}`, `1`, "v is not one of --draft"},
		{`{"type":"integer"}`, `null`, ""}, {`{"type":"integer"}`, `""`, ""},
	}
	for _, c := range cases {
		p, cmd := oneArg(t, c.schema, false)
		got := ""
		if d := p.Validate(cmd, argsOf(t, []byte(`{"v":`+c.value+`,"confirm":true}`))); d != nil {
			got = strings.TrimPrefix(d.Message, "invalid args: ")
			if d.Step != hcp.StepBinding {
				t.Errorf("%s: step %v", c.value, d.Step)
			}
		}
		if got != c.want {
			t.Errorf("%s under %s: got %q, want %q", c.value, c.schema, got, c.want)
		}
	}
}

func TestValidateNames(t *testing.T) {
	p, c := oneArg(t, `{"type":"string"}`, true)
	for args, want := range map[string]string{
		`{}`:                      "invalid args: missing v",
		`{"v":""}`:                "invalid args: missing v",
		`{"v":null}`:              "invalid args: missing v",
		`{"v":"x","w":1}`:         "invalid args: unknown argument w",
		`{"v":"x","V":1}`:         "invalid args: unknown argument V",
		`{"v":"x","a\u001bb":""}`: `invalid args: unknown argument "a\x1bb"`,
		`{"v":"x","mode":"mock"}`: "",
	} {
		got := ""
		if d := p.Validate(c, argsOf(t, []byte(args))); d != nil {
			got = d.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", args, got, want)
		}
	}
	d := p.Validate(c, argsOf(t, []byte(`{"vv":1}`)))
	if d == nil || d.Hint != "did you mean v?" {
		t.Errorf("hint: %+v", d)
	}
	q := testPack(t, "loose") // without args: the placeholders
	if d := q.Validate(q.Command("transfer"), argsOf(t, []byte(`{"payee":1,"x":1}`))); d == nil || d.Message != "invalid args: unknown argument x" {
		t.Errorf("%+v", d)
	}
	if d := q.Validate(q.Command("transfer"), argsOf(t, []byte(`{"payee":{"a":1}}`))); d != nil {
		t.Errorf("%+v", d)
	}
}

func TestReservedPlaceholderNeverRendered(t *testing.T) { // E-3: the gate is no argument
	p, err := Parse("", surface(`,"verbs":{"a":{"cli":["p","a","--x","{{confirm}}","--m={{mode}}"]}}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	argv, d := p.Render(&p.Commands[0], argsOf(t, []byte(`{"confirm":true,"mode":"mock"}`)))
	if d != nil || strings.Join(texts(argv), " ") != "a --json" {
		t.Errorf("%v %v", texts(argv), d)
	}
}
