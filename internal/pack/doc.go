// Package pack hides what a pack looks like on disk: surface.json, policy.json
// and the template language of cli[] in both directions (args to argv for the
// JSON face, a typed line to args for the shim), the argument schema, titles
// and previews, and the folder of installed packs. It refuses to decide: it
// never looks at a grant or a session, and it never starts, resolves or opens a
// program. A manifest that cannot be read exactly is an error, never a guess.
package pack
