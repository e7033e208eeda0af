// Command mcp is the bare program with github.com/modelcontextprotocol/go-sdk
// linked and not used: what a library costs every call.
package main

import (
	"os"
	"os/exec"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var keep any = mcp.NewServer

func main() {
	cmd := exec.Command("/bin/true")
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	if cmd.Run() != nil || keep == nil {
		os.Exit(1)
	}
}
