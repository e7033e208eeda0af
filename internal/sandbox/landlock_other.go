//go:build !linux

package sandbox

import (
	"context"

	"hcp/internal/hcp"
)

const landlockName = "landlock"

type landlockDriver struct{}

// Landlock gives a driver that refuses every call: Landlock is Linux's.
func Landlock() Driver { return landlockDriver{} }

func (landlockDriver) Name() string { return landlockName }

func (landlockDriver) Prepare(context.Context, *Plan) (Jail, *hcp.Denial) {
	return nil, notHere(landlockName)
}

// currentABI: there is no Landlock here.
func currentABI() int { return 0 }
