// Package audit holds the log of what was asked for and what was done: JSON
// Lines in segments, each record bound to the one before by a SHA-256, so that
// a changed, missing, added or reordered record shows. It hides the line
// format, the lock, how a line torn by a killed writer is healed, how segments
// are joined, and which arguments may be written down as they are.
//
// It refuses to write through a file or folder that others could have changed,
// to write a byte that a terminal would act on, and to make a damaged log look
// whole: what it finds wrong while appending becomes a log.recover record that
// Verify reports ever after.
//
// What it cannot do: whoever owns the uid can rewrite every record and head.json
// with them. A tail cut together with head.json, or a chain written anew, is
// found only by an anchor (a seq and hash noted elsewhere); a head.json that is
// missing or damaged is a warning, since nothing is known to be lost. Records that were
// not synced when the power failed are reported like a cut tail, for nothing
// can tell the two apart.
//
// Files in the folder: audit-000001.jsonl and on, head.json (the last record's
// seq, hash and place), lock (flock), salt (for argument HMACs).
package audit
