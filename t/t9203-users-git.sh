#!/bin/sh

test_description='the user goes on with git in the checkout while a run works

Branches switched, moved and deleted, commits, rebases, stashes, gc, prune, clean,
reset: the run does not care, and what is the user'\''s is as the user left it.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup' '
	flower_script "test -f half && test -f whole && test ! -f mine" <<-END
	- call: {tool: Bash, input: {command: "echo half >half; git add half; git commit -q -m half; pwd >\"$TRASH_DIRECTORY/tree\"; while test ! -e \"$TRASH_DIRECTORY/go\"; do sleep 0.02; done"}}
	- call: {tool: Bash, input: {command: "cp half whole; git log -1 --format=%s >\"$TRASH_DIRECTORY/head\""}}
	$(flower_report)
	END
'

# begins <name> starts a run on a branch of its own and waits until its worker works.
begins () {
	rm -f go tree &&
	git init -q "$1" && cd "$1" &&
	test_commit first && test_commit second a/two && echo "*.o" >.gitignore && git add .gitignore && git commit -q -m ignore &&
	git checkout -q -b topic && test_commit onlyhere b/three && git rev-parse HEAD >../base &&
	flower_background start --rehearse=../script.yaml --timeout 0 --name odd "do it" &&
	test_wait_for test -s ../tree
}

# ended: the run came to its end beside what the user did, which stands in ../before.
ended () {
	state >../before && : >../go &&
	flower_wait && test "$flower_code" = 0 &&
	state >../after && test_cmp ../before ../after &&
	good
}

state () {
	git symbolic-ref -q HEAD
	git rev-parse HEAD &&
	git for-each-ref refs/heads refs/tags refs/stash &&
	git ls-files --stage &&
	git status --porcelain --ignored
}

good () {
	test "$(cat ../base)" = "$(git rev-parse flower/base/odd)" &&
	git merge-base --is-ancestor flower/base/odd flower/join/odd &&
	git diff --name-only flower/base/odd flower/join/odd >../changed &&
	printf "half\nwhole\n" >../expect && test_cmp ../expect ../changed &&
	test "$(flower_count end odd)" = 1 &&
	git reflog expire --expire=now --all && git gc -q --prune=now &&
	git fsck --strict && git flower fsck odd
}

test_expect_success 'the branch it began at is left and deleted, and everything unreachable pruned' '
	begins deleted &&
	git checkout -q -b other HEAD~2 && git branch -D topic && git branch -D "$(git for-each-ref --format="%(refname:short)" refs/heads | grep -v other)" &&
	git reflog expire --expire=now --all && git gc -q --prune=now && git prune --expire=now &&
	ended && cd ..
'

test_expect_success 'and again between two wakes' '
	begins between &&
	kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143 &&
	git checkout -q --orphan bare-start && git rm -q -r -f . && git commit -q --allow-empty -m nothing &&
	git branch -D topic && git reflog expire --expire=now --all && git gc -q --prune=now &&
	state >../before && : >../go &&
	git flower resume odd </dev/null >../out &&
	state >../after && test_cmp ../before ../after && good && cd ..
'

test_expect_success 'and after we were killed' '
	begins killed && flower_kill &&
	git checkout -q -b other HEAD~2 && git branch -D topic &&
	git reflog expire --expire=now --all && git gc -q --prune=now &&
	state >../before && : >../go &&
	git flower resume odd </dev/null >../out &&
	state >../after && test_cmp ../before ../after && good && cd ..
'

test_expect_success 'commit, amend, rebase and a stash' '
	begins busy &&
	test_commit mine && git commit -q --amend -m amended && git rebase -q --force-rebase --onto HEAD~3 HEAD~1 &&
	echo change >>first.t && git stash -q && echo more >>first.t && echo new >mine.new && git add mine.new &&
	ended && git stash show -p >../out && grep change ../out && cd ..
'

test_expect_success 'a rebase and a merge that stopped half way' '
	begins half-way &&
	git checkout -q -b left HEAD~1 && echo left >first.t && git commit -q -am left &&
	git checkout -q -b right HEAD~1 && echo right >first.t && git commit -q -am right &&
	test_must_fail git rebase left && 
	state >../before && ls .git/rebase-merge >../steps &&
	: >../go && flower_wait && test "$flower_code" = 0 &&
	state >../after && test_cmp ../before ../after &&
	ls .git/rebase-merge >../steps.after && test_cmp ../steps ../steps.after &&
	git rebase --abort && good && cd ..
'

test_expect_success 'worktree prune, clean -xfd, reset --hard, pack-refs, repack, maintenance' '
	begins broom &&
	echo x >x.o && echo y >y && echo z >>first.t &&
	git worktree prune --expire=now && git clean -q -xfd && git reset -q --hard HEAD~1 &&
	git pack-refs --all && git repack -a -d -q && git update-server-info &&
	git maintenance run --task=gc --task=loose-objects --task=incremental-repack &&
	ended && cd ..
'

# storm goes on until it is calm.
# All of it again and again. Pruning at once has its tests at chosen moments: done
# while others write it may damage a repository, as git-gc(1) says.
storm () {
	while test ! -e ../calm
	do
		git checkout -q -B wave "$(cat ../base)" && git commit -q --allow-empty -m wave &&
		git pack-refs --all && git gc -q && git checkout -q topic &&
		git worktree prune && git clean -q -xfd || : >>../failed
	done
}

test_expect_success 'all the time, again and again' '
	begins storm &&
	{ storm >/dev/null 2>../storm.err & } && storm=$! &&
	: >../go &&
	flower_wait && : >../calm && { wait $storm || :; } &&
	test "$flower_code" = 0 && test_path_missing ../failed &&
	good && cd ..
'

test_expect_success 'the user deletes the refs of a run that works' '
	begins refs &&
	git update-ref -d refs/flower/base/odd &&
	git reflog expire --expire=now --all &&
	: >../go && flower_wait && test "$flower_code" = 0 &&
	git flower fsck odd && cd ..
'

test_done
