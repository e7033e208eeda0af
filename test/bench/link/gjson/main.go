// Command gjson is the bare program with github.com/tidwall/gjson linked and
// not used: what a library costs every call.
package main

import (
	"os"
	"os/exec"

	"github.com/tidwall/gjson"
)

var keep any = gjson.Get

func main() {
	cmd := exec.Command("/bin/true")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if cmd.Run() != nil || keep == nil {
		os.Exit(1)
	}
}
