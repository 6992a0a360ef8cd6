// Package worktree keeps the trees in which workers work, and merges what they
// made.
//
// A worker's tree is a working tree with a git directory of its own. That
// directory borrows the user's objects, knows the user's branches and tags as
// they stood, includes the user's configuration without hooks, fsmonitor,
// signing and gc, and has a detached HEAD. A worker commits, branches, stashes
// and rebases in it as anywhere; nothing about it is registered in the user's
// repository, and nothing of the user's is written through it.
//
// What a worker could write is data. When we look at its tree, git runs with
// the user's repository as GIT_DIR, an index of ours, hooks and fsmonitor off;
// its HEAD and refs are read as bytes; its commits come into the user's objects
// through a pack whose every object is named anew and checked, and are whole
// before anything could name them.
//
// The life of a tree: Add makes one or takes one that was given back. The
// worker works; Snapshot keeps its uncommitted files now and then; after a crash
// Reopen finds the tree again, and Restore makes a new one elsewhere. Finish
// makes a commit of what is left over and imports it; Join merges it with what
// others made, in objects alone; Release gives the tree back. Checkout makes
// throw-away trees for checks, with protected paths from another commit;
// CheckoutWarm begins with the caches that KeepCaches kept of a run's first checks,
// before any worker's code had run.
// KeepChanges makes a commit of the user's checkout without touching it; Land
// alone touches it, when the user says so. InPlace gives workers the checkout
// itself, one after the other, and touches it neither.
//
// Promises:
//
//   - No ref of the user's is moved but by Land.
//   - No work is lost: a tree goes back only with the proof that its commits
//     and files are in the user's objects; else it is moved aside and listed.
//     All else that lies around, caches too, is removed when a tree goes back; what the user's setup made stays.
//   - A tree that is handed out holds its base and what the setup made that git
//     ignores, and nothing else: when it was given back every file was read, and since then names, sizes and times are
//     the same.
//   - A process may be killed at any point. The next Open puts right what it
//     left: trees that were being made or given back become free, those of
//     workers stay.
//   - What Land puts aside of the user's changes is copied first; after a failure,
//     or a kill and the next Open, files and index are what they were.
//   - Several processes may use one pool. A tree belongs to the one that holds
//     its lock, which the kernel takes from it when it ends.
//
// Submodules keep the commit that is recorded. Files under git-lfs are pointers
// until a worker or a check runs 'git lfs pull'; where git-lfs is set up we store
// them as its clean filter does, without running it, contents included, and a
// file that was filled is not a changed one. Filters of other names run as the user's
// configuration has them, and only those; where a required one fails, no tree is
// made, and a file is listed instead of stored. Where the user's checkout is sparse, a worker's tree is as sparse; what
// is outside is changed by the worker's own commits only, or after it has widened
// its tree with 'git sparse-checkout'. Throw-away trees are whole, but for partial
// clones, where the rest may be anywhere.
package worktree
