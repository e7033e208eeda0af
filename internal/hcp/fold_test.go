package hcp

import "testing"

func TestFold(t *testing.T) {
	for _, c := range []struct {
		text    string
		width   int
		newline string
		want    string
	}{
		{"", 5, "\n", ""},
		{"  a  b ", 5, "\n", "a b"},
		{"ab cd ef", 5, "\n  ", "ab cd\n  ef"},
		{"a verylongword b", 4, "\n", "a\nverylongword\nb"},
		{"äö üß", 5, "\n", "äö üß"},
	} {
		if got := Fold(c.text, c.width, c.newline); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
