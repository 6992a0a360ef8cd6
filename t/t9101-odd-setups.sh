#!/bin/sh

test_description='repositories that are set up in other ways than most

In each a whole run must come to the same history and the same change as in a
plain repository, with checkout and index as they were, and land where there is
something to land in.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# state_of_checkout prints what a run must not touch.
state_of_checkout () {
	git rev-parse HEAD &&
	git for-each-ref --format="%(refname) %(objectname)" refs/heads refs/tags refs/remotes refs/stash &&
	git ls-files --stage -t &&
	git status --porcelain --ignored
}

# run_here runs to the end in this directory, which must come out as in the plain
# repository and leave the checkout as it was.
run_here () {
	state_of_checkout >"$TRASH_DIRECTORY/before" &&
	flower_start --name odd "odd place" &&
	state_of_checkout >"$TRASH_DIRECTORY/after" &&
	test_cmp "$TRASH_DIRECTORY/before" "$TRASH_DIRECTORY/after" &&
	same_end
}

same_end () {
	flower_canonical odd >"$TRASH_DIRECTORY/actual" &&
	test_cmp "$TRASH_DIRECTORY/expect" "$TRASH_DIRECTORY/actual" &&
	git diff flower/base/odd flower/join/odd -- >"$TRASH_DIRECTORY/actual.diff" &&
	test_cmp "$TRASH_DIRECTORY/expect.diff" "$TRASH_DIRECTORY/actual.diff"
}

# land_here merges the result; nothing else may have changed.
land_here () {
	git flower land --rehearsed odd &&
	test "$(git rev-parse HEAD)" = "$(git rev-parse flower/join/odd)" &&
	test_grep "^Status: done" rehearsal-odd.md &&
	git status --porcelain >"$TRASH_DIRECTORY/out" &&
	test_must_be_empty "$TRASH_DIRECTORY/out"
}

test_expect_success 'what a plain repository comes to' '
	git init plain &&
	test_commit -C plain first &&
	test_commit -C plain second a/one &&
	test_commit -C plain third b/two &&
	cd plain &&
	flower_start --name odd "odd place" &&
	flower_canonical odd >../expect &&
	git diff flower/base/odd flower/join/odd >../expect.diff &&
	test_line_count -gt 3 ../expect.diff
'

test_expect_success 'after sparse-checkout set, with cone and without' '
	git clone plain sparse && cd sparse &&
	git sparse-checkout set a &&
	test_path_missing b &&
	run_here &&
	find "$XDG_STATE_HOME" -path "*/tree/*/tree/a/one" >../trees && test_line_count -gt 0 ../trees &&
	land_here &&
	test_path_missing b &&
	git clone ../plain ../ragged && cd ../ragged &&
	git sparse-checkout set --no-cone "/a/" &&
	run_here &&
	git flower land --rehearsed odd &&
	test_path_missing b && test_path_missing first.t &&
	git ls-files --error-unmatch rehearsal-odd.md first.t
'

test_expect_success 'a sparse index' '
	git clone plain sparse-index && cd sparse-index &&
	git sparse-checkout set --sparse-index a &&
	run_here && land_here &&
	test_path_missing b
'

test_expect_success 'a linked worktree' '
	git clone plain main-tree && cd main-tree &&
	git worktree add -b side ../linked &&
	cd ../linked &&
	run_here && land_here &&
	git -C ../main-tree status --porcelain >../out && test_must_be_empty ../out &&
	test "$(git -C ../main-tree rev-parse HEAD)" = "$(git rev-parse flower/base/odd)"
'

test_expect_success 'a linked worktree of a bare repository' '
	git clone --bare plain hub.git && cd hub.git &&
	git worktree add -b side ../from-bare &&
	cd ../from-bare &&
	run_here && land_here
'

test_expect_success 'objects that are borrowed: clone --shared, twice' '
	git clone --shared plain shared &&
	git clone --shared shared twice &&
	cd twice &&
	test_path_exists .git/objects/info/alternates &&
	run_here && land_here
'

test_expect_success 'a shallow clone' '
	git clone --depth 1 "file://$TRASH_DIRECTORY/plain" shallow && cd shallow &&
	git rev-list --count HEAD >../out && echo 1 | test_cmp - ../out &&
	run_here && land_here &&
	test_path_exists .git/shallow
'

test_expect_success 'a partial clone' '
	git -C plain config uploadpack.allowFilter true &&
	git -C plain config uploadpack.allowAnySHA1InWant true &&
	git clone --filter=blob:none "file://$TRASH_DIRECTORY/plain" partial && cd partial &&
	run_here && land_here
'

test_expect_success 'a partial clone that lacks what the worker needs, and fetches it' '
	git clone --filter=blob:none --no-checkout "file://$TRASH_DIRECTORY/plain" lazy && cd lazy &&
	git sparse-checkout set a && git checkout &&
	run_here && land_here
'

test_expect_success 'a partial clone whose promisor is gone, where all that is needed is there' '
	git clone plain promisor &&
	git -C promisor config uploadpack.allowFilter true &&
	git clone --filter=blob:none --no-checkout "file://$TRASH_DIRECTORY/promisor" inside && cd inside &&
	git sparse-checkout set a && git checkout &&
	mv ../promisor ../promisor-gone &&
	test_when_finished "mv promisor-gone promisor" &&
	run_here
'

test_expect_success 'a partial clone whose promisor is gone' '
	git clone --filter=blob:none --no-checkout "file://$TRASH_DIRECTORY/promisor" lost && cd lost &&
	git reset -q &&
	mv ../promisor ../promisor-gone &&
	test_when_finished "mv promisor-gone promisor" &&
	test_must_fail git flower start --rehearse --timeout 0 --name odd "odd place" </dev/null 2>../err &&
	test_grep "promisor" ../err
'

test_expect_success 'a partial clone whose promisor is back goes on' '
	cd lost &&
	git flower resume odd --timeout 0 </dev/null >../out &&
	same_end
'

test_expect_success 'submodules, checked out and not' '
	git clone plain library &&
	git clone plain with-sub && cd with-sub &&
	git -c protocol.file.allow=always submodule add "$TRASH_DIRECTORY/library" lib &&
	git -c protocol.file.allow=always submodule add "$TRASH_DIRECTORY/library" other &&
	git commit -q -m "submodules" &&
	git submodule deinit -f other &&
	run_here && land_here &&
	git ls-tree flower/join/odd lib other >../out &&
	test_line_count = 2 ../out && test_grep "^160000 commit" ../out &&
	git diff --quiet flower/base/odd flower/join/odd -- lib other .gitmodules
'

test_expect_success 'within a submodule' '
	cd with-sub/lib && git checkout -q -b work &&
	run_here && land_here
'

test_expect_success 'a split index' '
	git clone plain split && cd split &&
	git config core.splitIndex true && git update-index --split-index &&
	ls .git/sharedindex.* >../out &&
	run_here && land_here
'

test_expect_success 'an untracked cache and an index of version 4' '
	git clone plain cached && cd cached &&
	git config core.untrackedCache true && git config index.version 4 &&
	git update-index --index-version 4 --force-untracked-cache &&
	run_here && land_here
'

test_expect_success 'packed refs and packed objects' '
	git clone plain packed && cd packed &&
	git pack-refs --all --prune && git repack -adq && git commit-graph write --reachable &&
	git multi-pack-index write && git repack -adbq --write-midx &&
	run_here &&
	git pack-refs --all --prune && git repack -adq &&
	same_end &&
	git flower status odd >../out && test_grep reached ../out &&
	land_here
'

test_expect_success 'refs of the run are packed in the middle' '
	git clone plain packed-late && cd packed-late &&
	flower_kill_at 24 start --rehearse --timeout 0 --name odd "odd place" &&
	git pack-refs --all --prune && git repack -adq && git gc --quiet --prune=now &&
	git flower resume odd --timeout 0 </dev/null >../out &&
	same_end
'

test_expect_success 'GIT_DIR and GIT_WORK_TREE are set' '
	git clone plain apart && mv apart/.git apart.git && mkdir -p nowhere && cd nowhere &&
	(
		GIT_DIR=$TRASH_DIRECTORY/apart.git GIT_WORK_TREE=$TRASH_DIRECTORY/apart &&
		export GIT_DIR GIT_WORK_TREE &&
		run_here &&
		git flower land --rehearsed odd &&
		git status --porcelain >../out && test_must_be_empty ../out
	) &&
	test_path_exists ../apart/rehearsal-odd.md &&
	ls -A >../out && test_must_be_empty ../out
'

test_expect_success 'GIT_DIR is relative, and other variables of git are set' '
	git clone plain relative && cd relative/a &&
	(
		GIT_DIR=../.git GIT_WORK_TREE=.. GIT_INDEX_FILE=$TRASH_DIRECTORY/relative.index &&
		GIT_LITERAL_PATHSPECS=1 GIT_DEFAULT_HASH=sha256 &&
		export GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_LITERAL_PATHSPECS GIT_DEFAULT_HASH &&
		git read-tree HEAD &&
		run_here
	)
'

test_expect_success '.git is a file' '
	git clone --separate-git-dir=separate.git plain separate && cd separate &&
	run_here && land_here
'

test_expect_success '.git is a symbolic link, and so is the way to it' '
	git clone plain real && mv real/.git real-git && ln -s ../real-git real/.git &&
	ln -s real by-link && cd by-link &&
	run_here && land_here
'

test_expect_success 'a path with a newline, a quote and a colon' '
	odd="new
line \"quoted\": 100% \\ here" &&
	git clone plain "$odd" && cd "$odd" &&
	run_here && land_here
'

test_expect_success 'CRLF in files, and autocrlf' '
	for mode in true input
	do
		git clone -c core.autocrlf=$mode plain crlf-$mode && (
			cd crlf-$mode &&
			run_here &&
			git flower land --rehearsed odd &&
			test_grep "^Status: done" rehearsal-odd.md &&
			git status --porcelain >../out && test_must_be_empty ../out
		) || return 1
	done &&
	printf "Status: done\r\n" >expect.line &&
	grep "^Status" crlf-true/rehearsal-odd.md >line && test_cmp expect.line line
'

test_expect_success 'CRLF in the commits, with attributes and without' '
	git clone plain crlf-in && cd crlf-in &&
	printf "one\r\ntwo\r\n" >dos.txt && printf "*.bat text eol=crlf\n" >.gitattributes &&
	printf "echo\r\n" >run.bat && printf "a\r\nb\n" >mixed.txt &&
	git add . && git commit -q -m "crlf" &&
	run_here && land_here &&
	git cat-file blob flower/join/odd:dos.txt >../actual.dos && test_cmp dos.txt ../actual.dos
'

# commit_raw <file>... commits files as they are, whatever their attributes say.
commit_raw () {
	for file
	do
		git update-index --add --cacheinfo "100644,$(git hash-object -w --no-filters "$file"),$file" || return 1
	done &&
	git commit -q -m "as they are"
}

none_aside () {
	find "$XDG_STATE_HOME" -path "*/aside/*" >"$TRASH_DIRECTORY/out" && test_must_be_empty "$TRASH_DIRECTORY/out"
}

test_expect_success 'files that are not what git would store of them' '
	git clone plain unround && cd unround &&
	printf "*.txt text\n*.bat text eol=crlf\n*.id ident\n*.salt filter=salt\n" >.gitattributes &&
	git config filter.salt.clean "cat; date +%N" &&
	printf "one\r\ntwo\n" >dos.txt && printf "echo\r\n" >run.bat && printf "\$Id: wrong \$\n" >x.id && echo salted >y.salt &&
	commit_raw .gitattributes dos.txt run.bat x.id y.salt &&
	run_here && none_aside &&
	printf "one\r\ntwo\n" >expect.dos && git cat-file blob flower/join/odd:dos.txt >actual.dos &&
	test_cmp expect.dos actual.dos
'

test_expect_success 'git-lfs is set up and not installed' '
	git clone plain large && cd large &&
	echo "*.bin filter=lfs diff=lfs merge=lfs -text" >.gitattributes &&
	printf "version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 12\n" 0 >big.bin &&
	touch -d 2001-01-01 big.bin &&
	commit_raw .gitattributes big.bin && git status &&
	git config filter.lfs.clean "no-git-lfs clean -- %f" && git config filter.lfs.smudge "no-git-lfs smudge -- %f" &&
	git config filter.lfs.process "no-git-lfs filter-process" && git config filter.lfs.required true &&
	run_here && none_aside && land_here
'

test_lazy_prereq CASE 'echo a >a && echo A >A && test "$(cat a)" = a'

test_expect_success CASE 'files that differ only in case' '
	git clone plain cases && cd cases &&
	echo lower >readme && echo upper >README && mkdir Dir dir && echo 1 >Dir/x && echo 2 >dir/x &&
	git add . && git commit -q -m cases &&
	run_here && land_here &&
	git ls-tree -r --name-only flower/join/odd >../out &&
	test_grep "^README$" ../out && test_grep "^readme$" ../out &&
	test_grep "^Dir/x$" ../out && test_grep "^dir/x$" ../out
'

test_expect_success 'a branch and a tag that are named as refs of ours, and a replaced commit' '
	git clone plain names && cd names &&
	git branch flower/run/odd && git tag flower/base/odd && git tag HEAD &&
	git replace HEAD~1 HEAD~2 &&
	state_of_checkout >../before &&
	flower_start --name odd "odd place" &&
	state_of_checkout >../after && test_cmp ../before ../after &&
	flower_canonical odd >../actual && test_cmp ../expect ../actual &&
	git flower log odd >../out && test_grep reached ../out &&
	git flower land --rehearsed odd && test_path_exists rehearsal-odd.md
'

test_expect_success '10,000 refs, loose and packed' '
	git clone plain many && cd many &&
	head=$(git rev-parse HEAD) &&
	awk -v id=$head "BEGIN {for (i = 0; i < 10000; i++) print \"create refs/heads/topic/\" i % 100 \"/\" i, id}" >../input &&
	git update-ref --stdin <../input &&
	git pack-refs --all --prune &&
	awk -v id=$head "BEGIN {for (i = 0; i < 200; i++) print \"create refs/tags/loose/\" i, id}" >../input &&
	git update-ref --stdin <../input &&
	run_here && land_here &&
	git for-each-ref refs/heads/topic >../out && test_line_count = 10000 ../out
'

test_done
