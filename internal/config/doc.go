// Package config hides where hcp's files live and how hcp.toml, the managed
// layer above it and the session files are written down, and how a value is put
// into another program's settings and taken out again. It turns our own into one
// Config, and refuses a file that others could have written, a key or a value
// it does not know, and any managed key that would loosen something. Of a foreign
// file it changes what it is told to and no other byte. It never reads the process
// environment, starts nothing, and decides no call: who may do what is the
// pipeline's to say.
package config
