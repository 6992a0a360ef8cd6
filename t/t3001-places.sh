#!/bin/sh

test_description='places where a run can, and cannot, begin'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'outside of a repository' '
	mkdir nothing && cd nothing &&
	test_must_fail code=128 git flower start --rehearse "x" 2>../err &&
	grep "not a git repository" ../err &&
	grep "^hint: " ../err &&
	ls -A >../out && test_must_be_empty ../out
'

test_expect_success 'a repository without a commit: nothing is written' '
	git init unborn && cd unborn &&
	test_must_fail code=128 git flower start --rehearse "x" 2>../err &&
	grep "no commit" ../err &&
	git for-each-ref >../out && test_must_be_empty ../out
'

test_expect_success 'setup' '
	git init one && test_commit -C one first
'

test_expect_success 'a bare repository' '
	git clone --bare one bare.git && cd bare.git &&
	flower_start --name bare "in a bare one" &&
	git diff --name-only flower/base/bare flower/join/bare >../out &&
	test_line_count = 1 ../out &&
	test_must_fail code=128 git flower land --rehearsed 2>../err
'

test_expect_success 'a detached HEAD' '
	git clone one detached && cd detached && git checkout -q --detach &&
	flower_start "detached" &&
	test_must_fail code=128 git flower land --rehearsed 2>../err &&
	grep "^hint: " ../err
'

test_expect_success 'a path with blanks, a newline and CJK' '
	dir="a b
c 目录" && git init "$dir" && test_commit -C "$dir" first && cd "$dir" &&
	flower_start "odd path" &&
	git flower land --rehearsed &&
	test -f rehearsal-odd-path.md
'

test_expect_success 'a linked worktree and a folder below the top' '
	git -C one worktree add ../linked && mkdir linked/sub && cd linked/sub &&
	flower_start "linked" &&
	git -C ../../one rev-parse --verify refs/flower/join/linked
'

test_expect_success 'files with odd names survive' '
	git init odd && cd odd &&
	printf x >"with blank" && printf y >"new
line" && printf z >"文件.txt" && printf w >"-dash" &&
	git add -A && git commit -qm first &&
	flower_start "odd files" &&
	git ls-tree -r -z --name-only flower/base/odd-files >../a &&
	git ls-tree -r -z --name-only flower/join/odd-files | tr "\0" "\1" | sed "s/rehearsal-odd-files.md.//" | tr "\1" "\0" >../b &&
	test_cmp ../a ../b
'

test_expect_success 'git is too old' '
	mkdir old-git && real=$(command -v git) &&
	cat >old-git/git <<-END &&
	#!/bin/sh
	test "\$1" = version && { echo git version 2.20.1; exit 0; }
	case " \$* " in *" version "*) echo git version 2.20.1; exit 0 ;; esac
	exec "$real" "\$@"
	END
	chmod +x old-git/git && git init young && test_commit -C young first && cd young &&
	(
		PATH="$TRASH_DIRECTORY/old-git:$PATH" && export PATH &&
		test_must_fail code=128 git-flower start --rehearse x 2>../err
	) &&
	grep "2.20.1" ../err &&
	git for-each-ref refs/flower >../out && test_must_be_empty ../out
'

test_expect_success 'no git at all' '
	cd young &&
	flower=$(command -v git-flower) &&
	(
		PATH=/nonexistent && export PATH &&
		"$flower" start --rehearse x 2>../err
		test $? = 128
	) &&
	grep "git" ../err
'

test_expect_success 'a name that exists, and names that are none' '
	cd young &&
	git flower start --rehearse --timeout 0 --name mine "x" </dev/null >../out &&
	test_must_fail code=128 git flower start --rehearse --name mine "y" 2>../err &&
	grep "mine" ../err &&
	for name in "" "A" "a b" "../up" "-x" "a..b" "x.lock" "é" "$(printf "%049d" 0)"
	do
		test_must_fail code=129 git flower start --rehearse "--name=$name" "y" 2>../err || return 1
	done &&
	flower_runs >../runs && test_line_count = 1 ../runs
'

test_expect_success 'no identity, no HOME to speak of' '
	git init anon && test_commit -C anon first && cd anon &&
	(
		HOME=$TRASH_DIRECTORY/empty && mkdir "$HOME" && XDG_STATE_HOME= XDG_CONFIG_HOME= && export HOME XDG_STATE_HOME XDG_CONFIG_HOME &&
		git config user.useConfigOnly true &&
		git flower start --rehearse --timeout 0 "anonymous" </dev/null >../out &&
		grep "git flower <flower@localhost>" ../out
	) &&
	git log -1 --format="%an <%ae>" flower/run/anonymous >../out &&
	grep "git flower <flower@localhost>" ../out
'

test_done
