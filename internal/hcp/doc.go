// Package hcp holds the nouns of the Harness Context Protocol: Envelope,
// Result, Denial, PolicyRow, Principal, Grant, and the strict JSON value they
// travel in. It hides how JSON is read and written exactly, and how a file is
// opened before it may be trusted. It decides nothing, runs nothing, and
// imports the standard library only, so that every other package can share it.
package hcp
