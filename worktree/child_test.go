package worktree

const childVariable = "WORKTREE_TEST_CHILD"

func child() int { return 0 }
