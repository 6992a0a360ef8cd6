#!/bin/sh
test_description='a run that begins with the uncommitted changes of the checkout'
. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

# everything is what a checkout holds, the index to the byte.
everything () {
	git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/stash &&
	cat .git/HEAD &&
	cksum <.git/index &&
	find . -path ./.git -prune -o -type f -print -exec cat {} \;
}

test_expect_success 'setup' '
	test_commit base &&
	test_commit other
'

test_expect_success 'a clean checkout makes no commit of ours' '
	flower_start --with-changes --name clean "do it" &&
	test "$(git rev-parse flower/base/clean)" = "$(git rev-parse HEAD)" &&
	test_grep "no changes to begin with" ../start.out
'

test_expect_success 'changes are the base; checkout, index, refs and stashes stay' '
	echo stashed >>base.t && git stash -q &&
	echo mine >>base.t && git add base.t && echo again >>other.t && echo new >new &&
	mkdir sub && echo deep >sub/deep && rm -f gone &&
	everything >../before &&
	flower_start --with-changes --name dirty "do it" &&
	everything >../after &&
	test_cmp ../before ../after &&
	test "$(git rev-parse flower/base/dirty^)" = "$(git rev-parse HEAD)" &&
	git diff --name-only HEAD flower/base/dirty >actual &&
	printf "%s\n" base.t new other.t sub/deep >expect &&
	test_cmp expect actual && rm actual expect &&
	test_grep "with the uncommitted changes of 4 files" ../start.out &&
	git merge-base --is-ancestor flower/base/dirty flower/join/dirty
'

test_expect_success 'without the option they are not in it, and that is said' '
	flower_start --name without "do it" &&
	test "$(git rev-parse flower/base/without)" = "$(git rev-parse HEAD)" &&
	test_grep "not included" ../start.out
'

test_expect_success 'what is left out is named' '
	test_when_finished "rm -rf big nested" &&
	printf %2048s x >big && git init -q nested && echo x >nested/x &&
	test_ignore_repository nested &&
	git -c flower.snapshotLimit=1k flower start --rehearse --with-changes --name left "do it" </dev/null >../start.out &&
	test_grep "without big (2048 bytes)" ../start.out &&
	test_grep "without nested/ (a repository of its own)" ../start.out &&
	git cat-file commit flower/base/left >../message &&
	test_grep "big" ../message &&
	test_must_fail git rev-parse -q --verify flower/base/left:big
'

test_expect_success 'a landing refuses any other change and changes nothing' '
	echo more >>other.t &&
	everything >../before &&
	test_must_fail code=128 git flower land --rehearsed dirty 2>../err &&
	test_grep "other.t" ../err &&
	test_grep "^hint: " ../err &&
	everything >../after &&
	test_cmp ../before ../after &&
	test_must_fail code=128 git flower land --rehearsed without 2>../err &&
	test_grep "uncommitted changes" ../err &&
	printf "other\nagain\n" >other.t
'

test_expect_success 'a hook that refuses leaves files and index as they were' '
	test_when_finished "rm .git/hooks/reference-transaction" &&
	mkdir -p .git/hooks &&
	printf "#!/bin/sh\ngrep -q refs/heads && exit 1\nexit 0\n" >.git/hooks/reference-transaction &&
	chmod +x .git/hooks/reference-transaction &&
	everything >../before &&
	test_must_fail code=128 git flower land --rehearsed dirty 2>../err &&
	everything >../after &&
	test_cmp ../before ../after
'

test_expect_success 'the recorded changes are replaced and kept' '
	git flower land --rehearsed dirty >../out &&
	test_grep "uncommitted changes of 4 files" ../out &&
	test "$(git rev-parse HEAD)" = "$(git rev-parse flower/join/dirty)" &&
	git status --porcelain --untracked-files=no >../status &&
	test_must_be_empty ../status &&
	test "$(cat new)" = new &&
	git stash list >../stashes &&
	test_line_count = 1 ../stashes &&
	git diff --quiet flower/base/dirty HEAD -- base.t other.t new sub
'

test_expect_success 'the middle of a merge is refused' '
	git checkout -q -b side && echo s >base.t && git commit -q -a -m s &&
	git checkout -q main && echo m >base.t && git commit -q -a -m m &&
	test_must_fail git merge side &&
	flower_runs >../before &&
	test_must_fail code=128 git flower start --rehearse --with-changes "do it" </dev/null 2>../err &&
	test_grep "merge is in progress" ../err &&
	test_grep "^hint: " ../err &&
	flower_runs >../after &&
	test_cmp ../before ../after &&
	git merge --abort
'

test_expect_success 'environment and configuration say the same' '
	echo env >>base.t &&
	GIT_FLOWER_WITH_CHANGES=1 git flower start --rehearse --name env "do it" </dev/null >../start.out &&
	git -c flower.withChanges flower start --rehearse --name key "do it" </dev/null >../start.out &&
	git -c flower.withChanges flower start --no-with-changes --rehearse --name option "do it" </dev/null >../start.out &&
	test "$(git rev-parse flower/base/env^{tree})" = "$(git rev-parse flower/base/key^{tree})" &&
	test "$(git rev-parse flower/base/option)" = "$(git rev-parse HEAD)"
'

test_expect_success 'a bare repository has no changes' '
	git clone -q --bare . ../bare.git &&
	test_must_fail code=128 git -C ../bare.git flower start --rehearse --with-changes "do it" </dev/null 2>../err &&
	test_grep "no checkout" ../err
'

test_done
