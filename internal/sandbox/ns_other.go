//go:build !linux

package sandbox

import (
	"context"

	"hcp/internal/hcp"
)

const nsName = "ns"

// NS gives a driver that refuses: namespaces are Linux's.
func NS() Driver { return nsDriver{} }

type nsDriver struct{}

func (nsDriver) Name() string { return nsName }

func (nsDriver) Prepare(context.Context, *Plan) (Jail, *hcp.Denial) { return nil, notHere(nsName) }
