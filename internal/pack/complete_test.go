package pack

import (
	"slices"
	"strings"
	"testing"
)

const completeSurface = `{"pack_id":"box","version":"1","kind":"wrap","wrap":{"bin":"/bin/box","workspace":{"file_flags":["--in"]}},"verbs":{
"put":{"description":"Put it.","cli":["box","put","{{what}}","--to","{{to}}","--in={{in}}","{{force}}","-o{{out}}","--confirm"],
 "args":{"type":"object","required":["to"],"properties":{"what":{"enum":["small","large one"]},"to":{"enum":["a","b"]},"in":{"type":"string"},
  "force":{"enum":["--force","--no-force"]},"out":{"type":"string"}}},"aliases":{"de":["legen"],"fr":["mettre dans"]}},
"pr.list":{"description":"List.","cli":["box","pr","list","--label","{{labels}}","{{all}}"],
 "args":{"type":"object","properties":{"labels":{"type":"array","items":{"enum":["bug","chore"]}},"all":{"type":"boolean"}}}},
"pr":{"description":"All.","cli":["box","pr"]},
"get":{"cli":["box","get","repos/{{owner}}","-o","json"]},
"raw":{"cli":["box","raw","--json","{{fields}}","--","{{rest}}"],"json_flag":[],"args":{"properties":{"rest":{"enum":["r1"]},"fields":{"enum":["name","url"]}}}}}}`

// Each line: what is typed, its last word begun, and the words that may follow.
func TestComplete(t *testing.T) {
	p, err := Parse("", []byte(completeSurface), []byte(`{"pack_id":"box","rows":{"put":{"operation":"write","confirm":true}}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ typed, last, want string }{
		{"", "", "put pr get raw legen mettre"},
		{"", "p", "put pr"},
		{"", "-", "--json --help"},
		{"--json", "--", "--help"},
		{"mettre", "", "dans"},
		{"legen", "", "small|large one"},
		{"mettre dans", "l", "large one"},
		{"nothing", "", ""},
		{"put", "x", ""},
		{"put small", "", "--to --in= --force --no-force -o --confirm --json --help"},
		{"put small --to", "", "a b"},
		{"put small", "--to=", "--to=a --to=b"},
		{"put small --to a --force", "-", "--in= -o --confirm --json --help"},
		{"put small --to a --confirm", "--c", ""},
		{"put --bad small", "--t", "--to"},
		{"put small", "-o", ""},
		{"pr", "", "list"},
		{"pr list --label bug --label", "", "bug chore"},
		{"pr list --label bug", "--l", "--label"},
		{"pr list", "", "true false"},
		{"pr list", "t", "true"},
		{"get", "", "repos/"},
		{"get", "repos/", ""},
		{"raw", "--j", "--json"},
		{"raw --json", "", "name url"},
		{"raw --", "", "r1"},
		{"raw --", "-", ""},
		{"put small\x00", "", ""},
	} {
		var got []string
		for _, w := range p.Complete(strings.Fields(c.typed), c.last).Words {
			got = append(got, w.Word)
		}
		want := strings.Fields(c.want)
		if strings.Contains(c.want, "|") {
			want = strings.Split(c.want, "|")
		}
		if c.want == "large one" {
			want = []string{c.want}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q %q: %q, want %q", c.typed, c.last, got, want)
		}
	}
	if n := p.Complete([]string{"put"}, "--in="); !n.Files || n.Front != "--in=" {
		t.Errorf("--in= wants no file: %+v", n)
	}
	if n := p.Complete([]string{"put", "--in"}, "x"); !n.Files || n.Front != "" {
		t.Errorf("--in wants no file: %+v", n)
	}
}
