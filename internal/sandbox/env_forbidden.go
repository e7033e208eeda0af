package sandbox

import "strings"

// ForbiddenEnv tells whether a name may not be set by agent_env or a Binding,
// whatever the value (sandbox.md): it is no proper name, it is hcp's own, or
// some program loads code from what it names.
func ForbiddenEnv(name string) bool {
	if !validEnvName(name) {
		return true
	}
	for _, prefix := range [...]string{"HCP_", "LD_", "DYLD_", "_RLD", "LDR_", "__XPC_", "BASH_FUNC_", "GIT_CONFIG", "LUA_INIT",
		"COR_PROFILER", "CORECLR_", "COMPLUS_", "RESOLV_"} {
		if strings.HasPrefix(strings.ToUpper(name), prefix) {
			return true
		}
	}
	switch strings.ToUpper(name) { // npm reads its names in any case
	case "PATH", "LIBPATH", "SHLIB_PATH", "GCONV_PATH", "LOCPATH", "NLSPATH", "PATH_LOCALE", "HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS",
		"GETCONF_DIR", "MALLOC_TRACE", "NIS_PATH", "TERMINFO", "TERMINFO_DIRS", "TERMPATH", "TERMCAP", "TMPPREFIX",
		"KRB5_CONFIG", "KRB5_KTNAME", "VAR_ACE", "USR_ACE", "DLC_ACE", "AUTHSTATE", "SSLKEYLOGFILE",
		"OPENSSL_CONF", "OPENSSL_ENGINES", "OPENSSL_MODULES":
		return true // the C library and its friends
	case "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_LOADABLES_PATH", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "GLOBIGNORE",
		"FPATH", "ZDOTDIR", "NULLCMD", "READNULLCMD", "FCEDIT", "INPUTRC", "SHELL":
		return true // shells
	case "PYTHONSTARTUP", "PYTHONPATH", "PYTHONHOME", "PYTHONINSPECT", "PYTHONUSERBASE", "PYTHONEXECUTABLE", "PYTHONWARNINGS",
		"PYTHONBREAKPOINT", "PYTHONPLATLIBDIR", "PYTHONPYCACHEPREFIX", "PYTEST_PLUGINS", "PYTEST_ADDOPTS",
		"PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "PERL5SHELL", "PERLIO_DEBUG",
		"RUBYOPT", "RUBYLIB", "RUBYSHELL", "GEM_HOME", "GEM_PATH", "BUNDLE_GEMFILE",
		"NODE_OPTIONS", "NODE_PATH", "NODE_REPL_EXTERNAL_MODULE", "NPM_CONFIG_NODE_OPTIONS", "NPM_CONFIG_SCRIPT_SHELL",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "CLASSPATH", "DOTNET_STARTUP_HOOKS",
		"LUA_PATH", "LUA_CPATH", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE", "R_PROFILE_USER", "R_ENVIRON", "R_ENVIRON_USER", "R_LIBS",
		"JULIA_LOAD_PATH", "ERL_FLAGS", "ERL_AFLAGS", "ERL_ZFLAGS", "ERL_LIBS", "ELIXIR_ERL_OPTIONS", "GUILE_LOAD_PATH",
		"CAML_LD_LIBRARY_PATH", "AWKPATH", "AWKLIBPATH", "TCLLIBPATH", "TCL_LIBRARY", "EMACSLOADPATH":
		return true // interpreters
	case "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_DIR",
		"GIT_COMMON_DIR", "GIT_TRACE2", "RSYNC_RSH", "CVS_RSH", "SVN_SSH", "TAR_OPTIONS", "RIPGREP_CONFIG_PATH", "CURL_HOME", "WGETRC",
		"LESSOPEN", "LESSCLOSE", "LESSKEY", "LESSKEYIN", "LESSKEY_CONTENT", "LESSEDIT", "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS",
		"RUSTC", "RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER", "GOFLAGS", "GOTOOLDIR",
		"VIMINIT", "EXINIT", "VIM", "VIMRUNTIME", "MANROFFOPT", "GTK_MODULES", "GTK_PATH", "GIO_MODULE_DIR", "QT_PLUGIN_PATH",
		"GST_PLUGIN_PATH":
		return true // programs with plug-ins, hooks or a configuration that runs something
	}
	return false
}

// ForbiddenSetting is ForbiddenEnv and a look at the value: no shell function,
// no NUL, and a variable that names a program to run (PAGER, EDITOR, …) may
// name it by a bare word only.
func ForbiddenSetting(name, value string) bool {
	if ForbiddenEnv(name) || strings.HasPrefix(value, "()") || strings.IndexByte(value, 0) >= 0 {
		return true
	}
	return namesProgram(name) && !only(value, "_-. ")
}

func namesProgram(name string) bool {
	switch name {
	case "EDITOR", "VISUAL", "BROWSER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "SUDO_EDITOR", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS":
		return true
	}
	return strings.HasSuffix(name, "PAGER")
}

func validEnvName(name string) bool {
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
