package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"hcp/internal/hcp"
	"hcp/internal/pack"
	"hcp/internal/sandbox"
)

type checkCmd struct {
	Packs []string `arg:"" name:"pack" help:"Pack folders, or ids of installed packs."`
	JSON  bool     `help:"As JSON." name:"json"`
}

// Run checks packs: exit 1 on errors, 2 on warnings, 0 otherwise.
func (c *checkCmd) Run(env *Env, status *int) error {
	lint := pack.Lint{ForbiddenEnv: sandbox.ForbiddenSetting}
	all := []pack.Finding{}
	for _, name := range c.Packs {
		root, err := checkRoot(env, name)
		if err != nil {
			return err
		}
		found := lint.Check(root)
		for i := range found {
			if len(c.Packs) > 1 {
				found[i].Where = name + ": " + found[i].Where
			}
		}
		all = append(all, found...)
	}
	*status = checkExit(all)
	if c.JSON {
		*status = env.printValue(all, *status)
		return nil
	}
	if len(all) == 0 {
		env.sayln("clean")
		return nil
	}
	var rows [][]string
	for _, f := range all {
		rows = append(rows, []string{f.Level, f.Code, f.Where, f.Message})
	}
	return env.table(rows)
}

func checkExit(all []pack.Finding) int {
	code := hcp.ExitOK
	for _, f := range all {
		switch {
		case f.Level == pack.LevelError:
			return hcp.ExitFailure
		case f.Level == pack.LevelWarning:
			code = hcp.ExitWarning
		}
	}
	return code
}

// checkRoot: a path is a folder, a bare id an installed pack unless there is a
// folder of that name here.
func checkRoot(env *Env, name string) (string, error) {
	dir, err := filepath.Abs(name)
	if err != nil {
		return "", fmt.Errorf("%s: %s", name, hcp.Reason(err))
	}
	if strings.ContainsRune(name, '/') || !hcp.ValidID(name) || isDir(dir) {
		return dir, nil
	}
	s, d := openStore(env, "", "")
	if d != nil {
		return "", refused(d)
	}
	if _, err := s.pack(name); notExist(err) {
		_, d := s.mustPack(name)
		return "", refused(d)
	}
	return s.library.Root(name), nil
}
