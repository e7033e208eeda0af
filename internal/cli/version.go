package cli

import (
	"runtime"

	"hcp/internal/hcp"
)

type versionCmd struct {
	JSON bool `help:"As JSON." name:"json"`
}

func (c *versionCmd) Run(env *Env, status *int) error {
	v := struct {
		Version string `json:"version"`
		Commit  string `json:"commit"`
		Go      string `json:"go"`
		OS      string `json:"os"`
		Arch    string `json:"arch"`
	}{env.Build.Version, env.Build.Commit, runtime.Version(), runtime.GOOS, runtime.GOARCH}
	if c.JSON {
		*status = env.printValue(v, hcp.ExitOK)
		return nil
	}
	env.sayf("hcp %s (%s, %s %s/%s)\n", v.Version, v.Commit, v.Go, v.OS, v.Arch)
	return nil
}
