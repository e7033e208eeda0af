package scaffold

import "strings"

// dialectOf names the framework that wrote a page, by what only it prints; ""
// when nothing tells.
func dialectOf(text string) string {
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(text, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("=false:\n", "=true:\n", "='':\n", "=[]:\n"):
		return "kubectl"
	case has("Display help for the given command", "Display this help message"):
		return "console"
	case has("Show context-sensitive help (also try"):
		return "kingpin"
	case has("Show context-sensitive help"):
		return "kong"
	case has("Show this message and exit."):
		return "click"
	case has("show this help message and exit"):
		if has("usage: ") && !has("Usage: ") {
			return "argparse"
		}
		return "optparse"
	case has("  [boolean]", "  [string]", "  [array]"):
		return "yargs"
	case has("display help for command", "output usage information", "display help for "):
		return "commander"
	case has("GLOBAL OPTIONS:", "[command options]", "[command [command options]]"):
		return "urfave"
	case has("Help Options:\n", "Show help options"):
		return "goption"
	case has("show CLI help", "Show CLI help"):
		return "oclif"
	case has("Available options:\n", "Prints help information"):
		if has("Usage: ") && has("COMMAND ...", "Available positional items:", "Available options:") {
			return "bpaf"
		}
		return "clap"
	}
	return laterDialect(text, has)
}

func laterDialect(text string, has func(...string) bool) string {
	switch {
	case has("\nUSAGE\n  $ "):
		return "oclif"
	case has(" --help' for more information on a command"):
		return "cobra"
	case has("Print help\n", "Print version\n", "[possible values: ", "Print help information", "Print help (see", "Prints version information"):
		return "clap"
	case has("Use \"") && has(" --help\" for more information about a command"), has("\nInherited Flags", "\nGlobal Flags:", "INHERITED FLAGS"), has("help for ") && has("Flags:\n"):
		return "cobra"
	case has(" stringArray ", " strings ", " duration ", " string   ") && has("      --"):
		return "pflag"
	case has("Available commands are:\n"):
		return "mitchellh"
	case strings.HasPrefix(text, "Usage of "):
		return "goflag"
	case has("\nSYNOPSIS\n"):
		return "man"
	case has("   or: ", "[<options>]"):
		return "git"
	case has("\n  -h, --help", "\n      --help"):
		return "getopt"
	}
	return ""
}

// endsOptions says whether a dialect's parser takes "--" for the end of the
// options.
func endsOptions(dialect string) bool {
	return dialect != "" && dialect != "man" && dialect != "git"
}

// abbreviates says whether a dialect's parser takes "--fla" for "--flag".
func abbreviates(dialect string) bool {
	switch dialect {
	case "getopt", "argparse", "optparse", "git", "man", "console":
		return true
	}
	return false
}
