package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"hcp/internal/adapter"
	"hcp/internal/config"
)

// The agents whose files we know. A new one is a name here, a function below,
// and a case in targets and tryLine.
const (
	agentClaude = "claude"
	agentCodex  = "codex"
)

// serverName is our entry among an agent's MCP servers.
const serverName = "hcp"

// readOnly are commands of hcp itself that an agent needs, and that cannot
// change the store or touch a file of the caller's.
func agentCommands() []string {
	return []string{"exec", "list", "show", "availability", "explain", "skill"}
}

// claudeTargets are Claude Code's files: MCP servers in .claude.json (a
// project's in .mcp.json), all else in settings.json, Skills in folders. The
// PATH comes from a hook and not from settings.json's env, whose values are taken
// as they are and would freeze the PATH of the day.
func (a *agentSetup) claudeTargets() []agentTarget {
	main := filepath.Join(a.home, ".claude.json")
	if a.s.env.Getenv("CLAUDE_CONFIG_DIR") != "" {
		main = filepath.Join(a.dir, ".claude.json")
	}
	server := []config.Edit{set("stdio", "mcpServers", serverName, "type"), set(a.self, "mcpServers", serverName, "command"),
		setList([]string{"mcp"}, "mcpServers", serverName, "args")}
	env := a.claudeEnv()
	var rules []config.Edit
	for _, rule := range a.claudeRules() {
		rules = append(rules, config.Edit{Path: []string{"permissions", "allow"}, Value: config.JSONString(rule), Element: true})
	}
	user := filepath.Join(a.dir, "settings.json")
	if a.project == "" {
		server = append(server, secret(set(a.token, "mcpServers", serverName, "env", "HCP_PRINCIPAL")))
		for _, kv := range a.storeEnv() {
			server = append(server, set(kv.Value, "mcpServers", serverName, "env", kv.Name))
		}
		return append([]agentTarget{
			{path: main, kind: config.KindJSON, edits: owned(2, server)},
			{path: user, kind: config.KindJSON, edits: append(env, rules...)},
		}, a.skills(filepath.Join(a.dir, "skills"))...)
	}
	// In a project's file the secret is a reference, filled in from the settings
	// of whoever uses it; empty, it makes hcp refuse and not fall back to a person.
	server = append(server, set("${HCP_PRINCIPAL:-}", "mcpServers", serverName, "env", "HCP_PRINCIPAL"))
	return append([]agentTarget{
		{path: user, kind: config.KindJSON, edits: env},
		{path: filepath.Join(a.project, ".mcp.json"), kind: config.KindJSON, edits: owned(2, server), project: true},
		{path: filepath.Join(a.project, ".claude", "settings.json"), kind: config.KindJSON, edits: rules, project: true},
	}, a.skills(filepath.Join(a.project, ".claude", "skills"))...)
}

func (a *agentSetup) claudeEnv() []config.Edit {
	env := []config.Edit{secret(set(a.token, "env", "HCP_PRINCIPAL"))}
	for _, kv := range a.storeEnv() {
		env = append(env, set(kv.Value, "env", kv.Name))
	}
	// The agent's own shell reads this file before each command.
	line := "export PATH=" + adapter.ShellQuote(a.s.places.Shims) + `:"$PATH":` + adapter.ShellQuote(filepath.Dir(a.self))
	hook := `[ -z "$CLAUDE_ENV_FILE" ] || echo ` + adapter.ShellQuote(line) + ` >>"$CLAUDE_ENV_FILE"`
	return append(env, config.Edit{Path: []string{"hooks", "SessionStart"}, Element: true,
		Value: `{"hooks":[{"type":"command","command":` + config.JSONString(hook) + `}]}`})
}

// claudeRules are the calls that hcp polices itself, so that nobody is asked for
// them twice.
func (a *agentSetup) claudeRules() []string {
	rules := []string{"mcp__" + serverName}
	for _, word := range agentCommands() {
		rules = append(rules, "Bash(hcp "+word+":*)")
	}
	for _, id := range a.shims() {
		rules = append(rules, "Bash("+id+":*)")
	}
	return rules
}

// codexTargets are Codex's files: config.toml for MCP servers and the variables
// of its shell, a rules file of our own, and Skills in the folder that several
// agents share. A user-level server entry is whole even with --project, since
// Codex refuses half of one; the project's only stands over it.
func (a *agentSetup) codexTargets() []agentTarget {
	server := []config.Edit{set(a.self, "mcp_servers", serverName, "command"), setList([]string{"mcp"}, "mcp_servers", serverName, "args")}
	user := append(slices.Clone(server), secret(set(a.token, "mcp_servers", serverName, "env", "HCP_PRINCIPAL")))
	shell := []config.Edit{secret(set(a.token, "shell_environment_policy", "set", "HCP_PRINCIPAL"))}
	for _, kv := range a.storeEnv() {
		user = append(user, set(kv.Value, "mcp_servers", serverName, "env", kv.Name))
		shell = append(shell, set(kv.Value, "shell_environment_policy", "set", kv.Name))
	}
	conf := agentTarget{path: filepath.Join(a.dir, "config.toml"), kind: config.KindTOML, edits: append(owned(2, user), append(shell, a.codexPath()...)...)}
	rules := agentTarget{path: filepath.Join(a.dir, "rules", "hcp.rules"), kind: config.KindFile, text: a.codexRules()}
	if a.project == "" {
		return append([]agentTarget{conf, rules}, a.skills(filepath.Join(a.home, ".agents", "skills"))...)
	}
	rules.path, rules.project = filepath.Join(a.project, ".codex", "rules", "hcp.rules"), true
	return append([]agentTarget{conf,
		{path: filepath.Join(a.project, ".codex", "config.toml"), kind: config.KindTOML, edits: owned(2, server), project: true},
		rules}, a.skills(filepath.Join(a.project, ".agents", "skills"))...)
}

// codexPath puts the shims before the PATH. Codex takes the value as it is, so
// one that is there keeps the rest of it.
func (a *agentSetup) codexPath() []config.Edit {
	path := []string{"shell_environment_policy", "set", "PATH"}
	c, _ := config.Snapshot(filepath.Join(a.dir, "config.toml")) // a fault is said when it is edited
	have := config.TOMLText(c.Before, path...)
	if slices.Contains(pathDirs(have), a.s.places.Shims) {
		return nil
	}
	dirs := slices.DeleteFunc(pathDirs(first(have, a.s.env.Getenv("PATH"))), func(dir string) bool { return dir == a.s.places.Shims })
	if bin := filepath.Dir(a.self); !slices.Contains(dirs, bin) {
		dirs = append(dirs, bin)
	}
	return []config.Edit{set(strings.Join(append([]string{a.s.places.Shims}, dirs...), ":"), path...)}
}

// codexRules lets the shims run outside Codex's own sandbox, where they could
// not reach hcp's state; hcp has walls of its own for what they run.
func (a *agentSetup) codexRules() string {
	var b strings.Builder
	b.WriteString("# Written by \"hcp init --agent codex\"; taken back with --undo.\n" +
		"# hcp polices these commands and sandboxes what they run.\n")
	rule := func(words ...string) {
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, config.JSONString(w))
		}
		b.WriteString("prefix_rule(pattern = [" + strings.Join(quoted, ", ") + "], decision = \"allow\")\n")
	}
	for _, word := range agentCommands() {
		rule("hcp", word)
	}
	for _, id := range a.shims() {
		rule(id)
	}
	return b.String()
}

// tryLine is one line for the user to try.
func (a *agentSetup) tryLine() string {
	what := "Which commands can you run through hcp?"
	if slices.ContainsFunc(a.packs, func(p agentPack) bool { return p.id == "ledger" }) {
		what = "Look up my ledger balance, then pay 2.80 to demo-transit."
	}
	return a.name + " " + adapter.ShellQuote(what)
}
