// Command toml is the bare program with github.com/BurntSushi/toml linked and
// not used: what a library costs every call.
package main

import (
	"os"
	"os/exec"

	"github.com/BurntSushi/toml"
)

var keep any = toml.Decode

func main() {
	cmd := exec.Command("/bin/true")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if cmd.Run() != nil || keep == nil {
		os.Exit(1)
	}
}
