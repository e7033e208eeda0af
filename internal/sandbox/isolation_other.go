//go:build !linux

package sandbox

import "hcp/internal/hcp"

func notHere(driver string) *hcp.Denial { return unavailable(driver, errNotHere) }
