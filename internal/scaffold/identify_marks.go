package scaffold

import "bytes"

// mark is what a program built with a framework holds somewhere in its bytes.
// Debian strips Go's list of dependencies, so that build info alone does not do.
type mark struct {
	framework string
	bytes     string
	found     bool
}

// markOverlap is longer than any mark.
const markOverlap = 64

// frameworks lists the marks, the surest evidence first: a program may link
// several, and a library of options says less than one of commands.
func frameworks() []mark {
	return []mark{
		{framework: "cobra", bytes: "github.com/spf13/cobra"},
		{framework: "urfave", bytes: "github.com/urfave/cli"},
		{framework: "kong", bytes: "github.com/alecthomas/kong"},
		{framework: "kingpin", bytes: "alecthomas/kingpin"},
		{framework: "mitchellh", bytes: "github.com/mitchellh/cli"},
		{framework: "mitchellh", bytes: "github.com/hashicorp/cli"},
		{framework: "ff", bytes: "github.com/peterbourgon/ff"},
		{framework: "go-flags", bytes: "github.com/jessevdk/go-flags"},
		{framework: "pflag", bytes: "github.com/spf13/pflag"},
		{framework: "clap", bytes: "clap_builder"},
		{framework: "clap", bytes: "/clap-"},
		{framework: "bpaf", bytes: "/bpaf-"},
		{framework: "goflag", bytes: "flag provided but not defined: -"},
		{framework: "cmdliner", bytes: "Cmdliner"},
		{framework: "optparse-applicative", bytes: "optparse-applicative"},
		{framework: "cli11", bytes: "CLI11"},
		{framework: "goption", bytes: "g_option_context_parse"},
		{framework: "popt", bytes: "poptGetNextOpt"},
		{framework: "argp", bytes: "argp_parse"},
		{framework: "getopt", bytes: "getopt_long"},
	}
}

// narrow looks for the marks that still matter: once one is found, those behind
// it do not.
func narrow(marks []mark, data []byte) []mark {
	for i := range marks {
		if marks[i].found = marks[i].found || bytes.Contains(data, []byte(marks[i].bytes)); marks[i].found {
			return marks[:i+1]
		}
	}
	return marks
}

func seen(marks []mark) string {
	for _, m := range marks {
		if m.found {
			return m.framework
		}
	}
	return ""
}
