// Command bench measures what a policed call costs, paired: in every round each
// contender runs once, in turn, so that a noisy machine is noisy for all of
// them. It prints each one's median of wall time and of processor time, and their
// ratios to the first's.
//
// usage: bench ROUNDS NAME=COMMAND…   (COMMAND is split at spaces)
package main

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

type contender struct {
	name string
	argv []string
	took []time.Duration
	cpu  []time.Duration // user and system, of the command and its children
}

func main() {
	if len(os.Args) < 3 {
		fail("usage: bench ROUNDS NAME=COMMAND…")
	}
	rounds, err := strconv.Atoi(os.Args[1])
	if err != nil || rounds < 1 {
		fail("ROUNDS is a number from 1")
	}
	var list []*contender
	for _, arg := range os.Args[2:] {
		name, command, ok := strings.Cut(arg, "=")
		if !ok {
			fail("NAME=COMMAND, not " + arg)
		}
		list = append(list, &contender{name: name, argv: strings.Fields(command)})
	}
	const warmUp = 10
	for i := range rounds + warmUp {
		for k := range list {
			c := list[(i+k)%len(list)] // nobody always follows the same one
			if took, cpu := run(c.argv); i >= warmUp {
				c.took, c.cpu = append(c.took, took), append(c.cpu, cpu)
			}
		}
	}
	report(list)
}

func run(argv []string) (took, cpu time.Duration) {
	cmd := exec.Command(argv[0], argv[1:]...)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	began := time.Now()
	err := cmd.Run()
	took = time.Since(began)
	if err != nil {
		fail(fmt.Sprintf("%s: %v\n%s", strings.Join(argv, " "), err, out.String()))
	}
	return took, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func report(list []*contender) {
	fmt.Printf("%-28s %9s %8s   %-16s %9s %8s\n", "", "median", "ratio", "paired quartiles", "cpu", "ratio")
	for _, c := range list {
		ratios := make([]float64, len(c.took))
		for i := range c.took {
			ratios[i] = float64(c.took[i]) / float64(list[0].took[i])
		}
		fmt.Printf("%-28s %7.3fms %7.2fx   %.2f … %.2f      %7.3fms %7.2fx\n", c.name, ms(at(c.took, 0.5)),
			ratio(c.took, list[0].took), at(ratios, 0.25), at(ratios, 0.75), ms(at(c.cpu, 0.5)), ratio(c.cpu, list[0].cpu))
	}
}

// ratio compares medians.
func ratio(a, b []time.Duration) float64 { return float64(at(a, 0.5)) / float64(at(b, 0.5)) }

func at[T int64 | float64 | time.Duration](list []T, q float64) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[int(q*float64(len(sorted)-1))]
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func fail(message string) {
	fmt.Fprintln(os.Stderr, "bench: "+message)
	os.Exit(1)
}
