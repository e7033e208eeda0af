// Command json is the bare program with encoding/json linked and
// not used: what a library costs every call.
package main

import (
	"os"
	"os/exec"

	"encoding/json"
)

var keep any = json.Marshal

func main() {
	cmd := exec.Command("/bin/true")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if cmd.Run() != nil || keep == nil {
		os.Exit(1)
	}
}
