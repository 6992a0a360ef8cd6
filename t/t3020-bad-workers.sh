#!/bin/sh

test_description='workers that leave their trees in a strange state lose nothing'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup' '
	test_commit -C repo first &&
	test_commit -C repo second &&
	git -C repo rev-parse HEAD >head
'

# worker <name> <command>: a run whose worker runs one command and reports.
worker () {
	{
		printf -- '- call:\n    tool: Bash\n    input:\n      description: do it\n      command: |\n'
		printf '%s\n' "$2" | sed 's/^/        /'
		flower_report
	} | flower_script true &&
	(
		cd repo &&
		flower_play --new --name "$1" "do it" &&
		test "$flower_code" = 0
	) || {
		cat start.out start.err
		return 1
	}
}

in_join () {
	git -C repo show "flower/join/$1:$2"
}

test_expect_success 'uncommitted work becomes one commit of the engine' '
	worker uncommitted "echo new >new; echo more >>first.t; mkdir d; echo deep >d/deep" &&
	in_join uncommitted new && in_join uncommitted d/deep &&
	git -C repo log -1 --format=%B flower/join/uncommitted | grep "Flower-Worker: coder-1" &&
	test "$(git -C repo rev-list --count flower/base/uncommitted..flower/join/uncommitted)" = 1
'

test_expect_success 'commits of its own are kept as they are' '
	worker committed "echo a >a; git add a; git commit -qm mine; echo b >b; git add b; git commit -qm too" &&
	git -C repo log --format=%s flower/base/committed..flower/join/committed >actual &&
	printf "too\nmine\n" >expect && test_cmp expect actual
'

test_expect_success 'a commit on another branch counts' '
	worker branch "git checkout -q -b elsewhere; echo c >c; git add c; git commit -qm c" &&
	in_join branch c &&
	git -C repo branch --list elsewhere >out && test_must_be_empty out
'

test_expect_success 'a merge left half done loses nothing' '
	worker merge "git checkout -q -b side HEAD~1; echo side >second.t; git add -A; git commit -qm side; git checkout -q --detach HEAD@{1}; git merge side; true" &&
	git -C repo log -1 --format=%B flower/run/merge >/dev/null &&
	test "$(cd repo && flower_count report merge)" = 1
'

test_expect_success 'a worker that deletes its tree' '
	worker deleted "echo lost >lost; git add lost; git commit -qm kept; cd /; rm -rf \"\$OLDPWD\"/* \"\$OLDPWD\"/.git" &&
	test "$(cd repo && flower_count report deleted)" = 1 &&
	git -C repo fsck --strict
'

test_expect_success 'a worker that removes the very folder' '
	worker gone "d=\$PWD; cd /; rm -rf \"\$d\"" &&
	test "$(cd repo && flower_count report gone)" = 1
'

test_expect_success 'paths with blanks, newlines and CJK' '
	worker paths "echo 1 >\"a b\"; echo 2 >\"\$(printf \"c\\nd\")\"; echo 3 >文件; echo 4 >-e" &&
	in_join paths "a b" && in_join paths "文件" && in_join paths "-e" &&
	test "$(git -C repo ls-tree -z --name-only flower/join/paths | tr "\\0\\n" "\\n." | grep -c "^c.d\$")" = 1
'

test_expect_success 'a nested repository is stored as files' '
	worker nested "git init -q sub; echo inner >sub/inner; git -C sub add -A; git -C sub commit -qm inner" &&
	in_join nested sub/inner
'

test_expect_success 'nothing that it plants is run by us' '
	worker planted "git config core.fsmonitor \"touch $HOME/fsmonitor-ran; true\"; mkdir -p .git-hooks; printf \"#!/bin/sh\ntouch \\\"$HOME/hook-ran\\\"\n\" >.git-hooks/post-checkout; chmod +x .git-hooks/post-checkout; git config core.hooksPath .git-hooks; git config alias.status \"!touch $HOME/alias-ran\"; echo p >p" &&
	rm -f "$HOME/hook-ran" "$HOME/fsmonitor-ran" &&
	(cd repo && git flower status && git flower fsck && flower_start --new --name after "again") &&
	test ! -e "$HOME/fsmonitor-ran" && test ! -e "$HOME/hook-ran" && test ! -e "$HOME/alias-ran"
'

test_expect_success 'the next worker gets a clean tree' '
	worker clean "ls -A >\"$TRASH_DIRECTORY/seen\"; git status --porcelain >\"$TRASH_DIRECTORY/state\"; git log -1 --format=%H >\"$TRASH_DIRECTORY/at\"" &&
	test_must_be_empty state &&
	git -C repo rev-parse HEAD >expect && test_cmp expect at
'

test_expect_success 'what it leaves running is ended' '
	worker daemon "(setsid sh -c \"echo \\\$\\\$ >\\\"$TRASH_DIRECTORY/pid\\\"; exec sleep 300\" >/dev/null 2>&1 &); while test ! -s \"$TRASH_DIRECTORY/pid\"; do sleep 0.05; done" &&
	test_wait_for test_process_gone "$(cat pid)"
'

test_expect_success 'a flood of output stays small' '
	worker flood "head -c 200000000 /dev/zero | tr \"\\0\" x" &&
	test "$(wc -c <repo/.git/flower/run/flood/events)" -lt 1000000
'

test_expect_success 'the user finds the checkout as it was' '
	cd repo &&
	git status --porcelain >../out && test_must_be_empty ../out &&
	git rev-parse HEAD >../out && test_cmp ../head ../out
'

test_done
