package scaffold

import (
	"slices"
	"strings"
)

// flagKind says what a flag is for, as far as a draft cares.
type flagKind uint8

const (
	flagPlain      flagKind = iota
	flagHelp                // --help, --version
	flagJSON                // selects JSON, or another form of output
	flagCredential          // a secret, or who acts
	flagEndpoint            // which machine, account or configuration is spoken to
	flagProgram             // runs a program or code
	flagWrites              // makes a command that looks write
	flagActs                // shows that the command acts: --dry-run
	flagForce               // does more than was asked
	flagYes                 // answers questions
	flagTalks               // needs a person or a terminal, or never ends
	flagLooks               // colour, pager, how much is said
)

// kindWords are the names, without dashes, of each kind. A name that begins or
// ends with one of the words behind a "*" is of that kind too.
func kindWords(k flagKind) (exact, part string) {
	switch k {
	case flagHelp:
		return "help h version V usage help-all full-help man", ""
	case flagJSON:
		return "raw parseable porcelain plain oneline terse json jsonl ndjson format output-format reporter yaml yml xml csv tsv toml table template jq query-format columns-format no-headers markdown html outfmt o-format json-output", "*template"
	case flagCredential:
		return "aws-sigv4 passin passout inkey secretkey token password passwd pass passphrase secret api-key apikey api-token access-token auth auth-token key-file keyfile identity identity-file username user u login credential credentials cert cert-file client-cert client-key private-key sudo become as as-group impersonate impersonate-service-account netrc netrc-file cookie cookie-jar header headers H oauth2-bearer with-token keyring vault-password-file password-file password-stdin account-key access-key secret-key bearer",
			"passin passout inkey secretkey token password passphrase secret credential credentials api-key access-key secret-key private-key"
	case flagEndpoint:
		return "server host hostname H url uri endpoint base-url api-url api proxy proxies socket address addr port kubeconfig profile config config-file c C cfg conf context cluster region account account-id subscription org-id remote-host registry repository-url index-url extra-index-url dsn connection connection-string db-url database-url home root prefix base-dir config-dir data-dir cache-dir state-dir git-dir work-tree raw directory cwd chdir working-dir workdir project-dir tls-verify connect-to unix-socket insecure insecure-skip-tls-verify no-verify-ssl skip-verify ca-cert cacert cafile ca-bundle capath trusted-host resolve dns-servers interface env-file request-target unix-socket rsync-path remote",
			"proxy endpoint url kubeconfig server host socket"
	case flagProgram:
		return "engine engine-impl provider provider-path library libs preload load-library module-path modules-path ok okdir execdir exec exec-batch x X execute command cmd shell editor pager ssh-command ssh rsh e eval script hook pre post pre-command post-command run plugin plugins plugin-dir use-compress-program to-command checkpoint-action info-script new-volume-script diff-program ext-diff textconv preprocessor filter-cmd interpreter browser open-with node-options script-shell require import load module init-command askpass helper exec-path extension extensions loader rsync-command external-diff-cmd external-diff merge-tool tool runner wrapper entrypoint post-renderer upload-pack receive-pack filters cat-file-filters",
			"command cmd exec program script hook editor pager"
	case flagWrites:
		return "upload-file fprint fprint0 fprintf fls oN oX oG oA oS kill output out outfile output-file output-dir out-dir outdir o-file in-place inplace i-in-place write w-file fix autofix save save-dev save-to write-lock update update-all updates delete remove remove-all prune create set unset add edit rewrite replace apply repair lost-found log-file logfile report-file dump-header trace-file cache-file record clean clear purge rename move moved upload download install export dest destination unsafe output-document dump-to write-to snapshot-update update-snapshots fix-dry-run store emit generate push publish submit commit sync expire init reset",
			"output-file output-dir outfile output-path report-path log-file"
	case flagActs:
		return "dry-run dryrun n-dry-run noop no-op simulate just-print what-if whatif no-act pretend plan-only check-only", "dry-run"
	case flagForce:
		return "force f-force no-verify skip-checks ignore-errors break-system-packages allow-unrelated force-with-lease hard now no-preserve-root ignore-not-found recursive-force override overwrite clobber", "force"
	case flagYes:
		return "no-interaction yes y assume-yes assumeyes auto-approve autoapprove no-input no-interactive non-interactive noninteractive noconfirm no-confirm skip-confirmation skip-confirm no-prompt skip-prompt noprompt confirm batch-yes accept-all unattended no-ask", "no-input"
	case flagTalks:
		return "interactive i-interactive edit web browse browser-open tty it stdin prompt ask follow f-follow tail-follow watch w-watch watch-only wait-for-input tui gui ui detach-keys attach live stream monitor patch-interactive menu select continuous loop", "interactive"
	case flagLooks:
		return "color colour colors no-color no-colour no-colors ansi no-ansi pager no-pager paginate no-paginate quiet q silent s verbose v vv vvv debug d-debug trace log-level loglevel verbosity progress no-progress spinner no-spinner plain pretty emoji no-emoji log-format log-type banner no-banner warnings no-warnings profile-startup hide-banner width columns unicode no-unicode timing stats-interval notify loud", "color colour pager log-level progress"
	}
	return "", ""
}

// kindTable maps flag names to kinds; built once per run.
type kindTable struct {
	exact map[string]flagKind
	part  map[flagKind][]string
}

func newKindTable() *kindTable {
	t := &kindTable{exact: map[string]flagKind{}, part: map[flagKind][]string{}}
	for k := flagHelp; k <= flagLooks; k++ {
		exact, part := kindWords(k)
		for w := range strings.FieldsSeq(exact) {
			if t.exact[w] == flagPlain {
				t.exact[w] = k
			}
		}
		t.part[k] = strings.Fields(part)
	}
	return t
}

// of tells what a flag is for. The most dangerous reading of any of its names
// and of its help wins, so that --data-output is not taken for a harmless word.
func (t *kindTable) of(f *Flag) flagKind {
	if f.Value != ValueNone && setsAnything(f.Help) {
		return flagEndpoint
	}
	kind := flagPlain
	for _, name := range longFirst(f.Names) {
		word := strings.TrimLeft(name, "-")
		if len(word) == 1 && len(f.Names) > 1 {
			continue // -c of -c, --count is a count
		}
		if k := t.named(word, f); k != flagPlain {
			kind = k
			break
		}
	}
	if kind == flagForce && slices.ContainsFunc(f.Names, func(n string) bool { return strings.Trim(n, "-") == "force" }) && f.Value == ValueNone && asksNothing(f.Help) {
		return flagYes
	}
	if kind == flagPlain || kind == flagJSON || kind == flagLooks {
		if k := byHelp(f); k != flagPlain {
			return k
		}
	}
	return kind
}

// setsAnything: -o of apt and ssh, -c of git. A configuration names programs.
func setsAnything(help string) bool {
	help = strings.ToLower(help)
	return slices.ContainsFunc([]string{"configuration option", "config option", "configuration parameter", "configuration variable", "config variable", "override a config", "override config", "configuration key"},
		func(w string) bool { return strings.Contains(help, w) })
}

// named judges one name.
func (t *kindTable) named(word string, f *Flag) flagKind {
	if k := t.exact[word]; k != flagPlain {
		return t.fits(k, word, f)
	}
	lower := strings.Join(nameWords(word), "-")
	if k := t.exact[lower]; k != flagPlain && len(lower) > 1 {
		return t.fits(k, lower, f)
	}
	if bare, ok := strings.CutPrefix(lower, "no-"); ok && t.exact[bare] == flagLooks {
		return flagLooks
	}
	if f.Value != ValueNone && runsByName(lower) {
		return flagProgram
	}
	if f.Value != ValueNone && secretByName(lower) {
		return t.fits(flagCredential, lower, f)
	}
	for k := flagHelp; k <= flagLooks; k++ {
		for _, w := range t.part[k] {
			if strings.HasSuffix(lower, "-"+w) || strings.HasPrefix(lower, w+"-") && k != flagEndpoint {
				return t.fits(k, lower, f)
			}
		}
	}
	return flagPlain
}

// secretByName: -newkeypass, -passcerts, --dbpassword; not --bypass, --passive.
func secretByName(name string) bool {
	for _, w := range []string{"secret", "signkey", "cakey", "privkey", "password", "passwd", "passphrase", "passcode", "apikey"} {
		if strings.Contains(name, w) {
			return true
		}
	}
	return strings.HasSuffix(name, "pass") && name != "bypass" || strings.HasPrefix(name, "passin") || strings.HasPrefix(name, "passout") || strings.HasPrefix(name, "passcert")
}

// runsByName: -vettool, -toolexec, --pre-hook.
func runsByName(name string) bool {
	for _, w := range []string{"tool", "cmd", "command", "exec", "program", "script", "hook", "shell", "pager", "editor"} {
		if strings.HasSuffix(name, w) {
			return true
		}
	}
	return false
}

// fits takes a kind back where the flag's form says otherwise: --delete FILE
// and --follow are of their kind, --user as a switch or --pretty WIDTH is not.
func (t *kindTable) fits(k flagKind, word string, f *Flag) flagKind {
	value := f.Value != ValueNone
	switch {
	case k == flagHelp && value && word != "help":
		return flagPlain
	case (word == "output" || word == "o" || word == "out") && outputIsForm(f):
		return flagJSON
	case word == "output" || word == "o":
		return flagWrites
	case k == flagEndpoint && f.Type == "integer" && word != "port":
		return flagPlain
	case k == flagEndpoint && !value && !strings.Contains(word, "insecure") && !strings.Contains(word, "verify"):
		return flagPlain
	case (k == flagCredential || k == flagProgram) && !value && len(word) == 1:
		return flagPlain
	case k == flagYes && len(word) == 1 && len(f.Names) == 1 && !asksNothing(f.Help) && !strings.Contains(strings.ToLower(f.Help), "yes"):
		return flagPlain // ssh-keygen -y
	case (k == flagYes || k == flagActs || k == flagTalks) && f.Value == ValueRequired && k != flagActs:
		return flagPlain
	}
	return k
}

// outputIsForm tells an --output that chooses a form (json, yaml) from one that
// names a file.
func outputIsForm(f *Flag) bool {
	if slices.ContainsFunc(f.Enum, func(v string) bool { return isForm(v) }) {
		return true
	}
	help := strings.ToLower(f.Help)
	meta := strings.ToLower(f.Metavar)
	return strings.Contains(meta, "format") || isForm(meta) || strings.Contains(meta, "|") && strings.Contains(meta, "json") ||
		strings.Contains(help, "format") && !strings.Contains(help, "file") && !strings.Contains(help, "path") ||
		strings.Contains(help, "json") && !strings.Contains(help, "json file")
}

func isForm(v string) bool {
	switch strings.ToLower(v) {
	case "json", "yaml", "yml", "xml", "csv", "tsv", "table", "text", "plain", "pretty", "wide", "name", "markdown", "toml", "jsonpath":
		return true
	}
	return false
}

// byHelp reads the help of a flag whose name says little.
func byHelp(f *Flag) flagKind {
	help := strings.ToLower(f.Help)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(help, w) })
	}
	if f.Value == ValueNone && has("interactively", "interactive mode", "in an editor", "in your browser", "web browser", "open an editor") {
		return flagTalks
	}
	if has("sensitive data", "secret values", "in plain text", "in cleartext", "unmasked", "show secret") {
		return flagCredential
	}
	if f.Value == ValueNone && (strings.HasPrefix(help, "colorize") || strings.HasPrefix(help, "colourise") || strings.HasPrefix(help, "monochrome")) {
		return flagLooks
	}
	switch meta := strings.ToLower(f.Metavar); {
	case f.Value != ValueNone && (meta == "cmd" || meta == "command" || meta == "program" || meta == "script" || meta == "exec"):
		return flagProgram
	case f.Value != ValueNone && (strings.Contains(meta, "format") || strings.Contains(meta, "template")):
		return flagJSON
	case f.Value != ValueNone && has("command to run", "command to execute", "execute a command", "execute command", "run command", "program to run", "pipe through", "run the given command", "executes the command"):
		return flagProgram
	case has("write to file", "write output to", "write the output to", "output to file", "save to", "save output", "write result to", "write results to", "instead of stdout", "in place", "in-place", "overwrite"):
		return flagWrites
	case f.Value == ValueNone && asksNothing(f.Help) && has("confirm") && !has("overwrite", "copying") && kindless(f):
		return flagYes
	case f.Value != ValueNone && has("password", "passphrase", "pass phrase", "pass-phrase", "private key", "signing key", "key for signing", "secret key", "raw key", "hex-encoded key", "mac with key", "api key", "access token", "auth token", "bearer"):
		return flagCredential
	}
	return flagPlain
}

// kindless: --force-copy answers a question too, but not only that.
func kindless(f *Flag) bool {
	return !slices.ContainsFunc(f.Names, func(n string) bool { return strings.Contains(n, "force") })
}

// asksNothing tells a flag that answers a command's question beforehand.
func asksNothing(help string) bool {
	help = strings.ToLower(help)
	for _, w := range []string{"without prompt", "without confirm", "without asking", "do not prompt", "don't prompt", "do not ask", "don't ask", "skip confirm",
		"skip the confirm", "skips the confirm", "skip prompt", "skip the prompt", "no confirmation", "never prompt", "without a prompt", "bypass confirm",
		"without any prompt", "automatic yes", "answer yes", "assume yes", "skip all confirm", "suppress prompt", "disable prompt", "suppress confirm"} {
		if strings.Contains(help, w) {
			return true
		}
	}
	return false
}

// longFirst puts names of two dashes before those of one.
func longFirst(names []string) []string {
	list := slices.Clone(names)
	slices.SortStableFunc(list, func(a, b string) int {
		return nameRank(a) - nameRank(b)
	})
	return list
}

func nameRank(name string) int {
	switch {
	case strings.HasPrefix(name, "--no-"):
		return 1
	case strings.HasPrefix(name, "--"):
		return 0
	case len(name) > 2:
		return 2
	}
	return 3
}
