// Package gitcmd is the one place that runs git.
//
// Every child gets LC_ALL=C, no terminal prompt, a session of its own (a
// Ctrl-C at the terminal must not cut a ref transaction in two) and, when it
// only reads, --no-optional-locks. Arguments never pass a shell. A child is
// asked to end with SIGTERM, on which git removes its lock files, and never
// killed while it may hold one. Whatever git says on stderr is kept whole in
// the error.
//
// There are two environments. Ours inherits the caller's, so that
// 'git -c flower.x=y flower …', GIT_DIR and the user's credentials helpers
// count. A foreign one, for commands whose repository is named by the caller
// (a worker's tree, a scratch repository), drops every variable that
// 'git rev-parse --local-env-vars' lists: a hook's GIT_INDEX_FILE would
// otherwise make us edit the wrong repository (style.md 3.8 measured it).
package gitcmd
