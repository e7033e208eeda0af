// Command kong is the bare program with github.com/alecthomas/kong linked and
// not used: what a library costs every call.
package main

import (
	"os"
	"os/exec"

	"github.com/alecthomas/kong"
)

var keep any = kong.Must

func main() {
	cmd := exec.Command("/bin/true")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if cmd.Run() != nil || keep == nil {
		os.Exit(1)
	}
}
