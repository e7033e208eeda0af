// Command bare is the baseline of scripts/bench.sh: the least a Go program can
// do to run another one.
package main

import (
	"os"
	"os/exec"
)

func main() {
	cmd := exec.Command("/bin/true")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if cmd.Run() != nil {
		os.Exit(1)
	}
}
