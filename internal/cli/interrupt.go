package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signalBase is what a shell adds to the number of the signal that has ended a
// command.
const signalBase = 128

// untilSignal gives a context that ends when somebody wants hcp to end. code is
// then the exit code, and 0 before; stop gives the signals back.
func untilSignal() (ctx context.Context, code func() int, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var got atomic.Int32
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		select {
		case sig := <-signals:
			if n, ok := sig.(syscall.Signal); ok {
				got.Store(signalBase + int32(n))
			}
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, func() int { return int(got.Load()) }, func() { signal.Stop(signals); cancel() }
}
