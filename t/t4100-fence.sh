#!/bin/sh

test_description='what a worker runs stays in its tree

Each attempt is made as a command of a worker in a run: without a fence, where it
must get through, else the test proves nothing; with Landlock alone; and with all
that holds here. What the system holds of single calls is tried in
worktree/fence, 72 attempts against each means.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

unset GIT_FLOWER_FENCE
cd "$TRASH_DIRECTORY" || exit 1

test_lazy_prereq LANDLOCK 'git flower doctor >found; grep "^    holds .*Landlock" found'
test_lazy_prereq NAMESPACES 'git flower doctor >found; grep "^    holds .*namespaces" found'

# attempt <name> <command>: adds one. It got through when it made $OUT/<name>, or
# when what is behind "shows" below finds it.
attempt () {
	printf '%s\n' "$2" >"attempts/$1"
}

test_expect_success 'setup' '
	test_commit -C repo first &&
	git -C repo branch other &&
	mkdir attempts out home/.ssh bin &&
	echo secret >home/.ssh/id &&
	attempt write "echo x >\"\$OUT/write\"" &&
	attempt mkdir "mkdir \"\$OUT/mkdir\"" &&
	attempt link "ln -s x \"\$OUT/link\"" &&
	attempt hardlink "echo x >own && ln own \"\$OUT/hardlink\"" &&
	attempt rename "echo x >own && mv -f own \"\$OUT/rename\"" &&
	attempt through-link "ln -s \"\$OUT\" l; echo x >l/through-link; rm l" &&
	attempt proc-root "echo x >\"/proc/self/root\$OUT/proc-root\"" &&
	attempt background "(echo x >\"\$OUT/background\") & wait" &&
	attempt session "setsid -w sh -c \"echo x >\\\"\$OUT/session\\\"\"" &&
	attempt checkout "echo x >\"\$REPO/planted\" && echo x >\"\$OUT/checkout\"" &&
	attempt hook "echo x >\"\$REPO/.git/hooks/post-checkout\" && echo x >\"\$OUT/hook\"" &&
	attempt config "git config -f \"\$REPO/.git/config\" core.fsmonitor x && echo x >\"\$OUT/config\"" &&
	attempt alias "git config --global alias.st x && echo x >\"\$OUT/alias\"" &&
	attempt ref "GIT_DIR=\"\$REPO/.git\" git update-ref refs/heads/evil HEAD && echo x >\"\$OUT/ref\"" &&
	attempt branch "git push -q \"\$REPO\" HEAD:refs/heads/pushed && echo x >\"\$OUT/branch\"" &&
	attempt object "echo x | GIT_OBJECT_DIRECTORY=\"\$REPO/.git/objects\" git hash-object -w --stdin && echo x >\"\$OUT/object\"" &&
	attempt worktree "git -C \"\$REPO\" worktree add -q --detach \"\$TMPDIR/wt\" && echo x >\"\$OUT/worktree\"" &&
	attempt records "git -C \"\$REPO\" update-ref refs/flower/work/evil/x HEAD && echo x >\"\$OUT/records\"" &&
	attempt transcripts "echo x >>\"\$REPO/.git/flower/session.db-journal.x\" && echo x >\"\$OUT/transcripts\"" &&
	attempt slot "echo x >../owner.x && echo x >\"\$OUT/slot\"" &&
	attempt other-slot "mkdir ../../9999 && echo x >\"\$OUT/other-slot\"" &&
	attempt trusted "echo x >>../../../trusted.x && echo x >\"\$OUT/trusted\"" &&
	attempt profile "echo x >>\"\$HOME/.profile\" && echo x >\"\$OUT/profile\"" &&
	attempt key "grep secret \"\$HOME/.ssh/id\" && cp \"\$HOME/.ssh/id\" stolen-key" &&
	attempt environ "grep -q CANARY= /proc/\$WITNESS/environ && echo x >stolen-environ" &&
	attempt kill "kill -STOP \$WITNESS && echo x >stopped" &&
	ls attempts >names
'

# play <run> <git flower start, and before it what runs it>...: a worker makes all
# attempts; its tree is what the run makes of it.
play () {
	run=$1
	shift
	rm -rf out && mkdir out && git -C repo branch -D evil pushed >/dev/null 2>&1
	CANARY=1 sleep 1000 &
	witness=$!
	test_when_finished "kill -9 $witness"
	cat >all <<-END
	OUT="$TRASH_DIRECTORY/out" REPO="$TRASH_DIRECTORY/repo" HOME="$HOME" RUN=$run WITNESS=$witness
	export OUT REPO HOME RUN WITNESS
	END
	for name in $(cat names)
	do
		printf "cat >.attempt <<'END_OF_ATTEMPT'\n%s\nEND_OF_ATTEMPT\n(sh .attempt) >/dev/null 2>&1; echo $name \$? >>told\n" "$(cat "attempts/$name")" >>all || return 1
	done
	echo "rm -f .attempt own" >>all
	{
		printf -- '- call:\n    tool: Bash\n    input:\n      description: try\n      command: |\n'
		sed 's/^/        /' all
		flower_report
	} | flower_script true &&
	(
		cd repo &&
		"$@" git-flower start --rehearse=../script.yaml --new --timeout 0 --name "$run" "try it" </dev/null >../start.out 2>../start.err
	) || {
		cat start.out start.err
		return 1
	}
	git -C repo show "flower/join/$run:told" >told &&
	test_line_count = "$(wc -l <names)" told
}

# through <run>: the names of attempts that got through.
through () {
	{
		ls out
		git -C repo ls-tree --name-only "flower/join/$1" >files
		sed -n -e 's/^stolen-key$/key/p' -e 's/^stolen-environ$/environ/p' -e 's/^stopped$/kill/p' files
	} | sort >got
}

outside () {
	cat repo/.git/config repo/.git/HEAD home/.gitconfig
	ls repo repo/.git/hooks
	git -C repo for-each-ref refs/heads
}

test_expect_success 'without a fence each gets through' '
	cp -R repo kept && cp home/.gitconfig kept-config &&
	play free env GIT_FLOWER_FENCE=off &&
	grep "fence .*your rights" start.out &&
	through free &&
	test_cmp names got &&
	rm -rf repo && mv kept repo && cp kept-config home/.gitconfig && rm -f home/.profile && find home/.local -name "*.x" -exec rm {} + &&
	outside >before
'

test_expect_success LANDLOCK,NAMESPACES 'with all that holds here none does' '
	play full env &&
	grep "fence .*Landlock.*namespaces" start.out &&
	through full && test_must_be_empty got &&
	outside >after && test_cmp before after &&
	test_path_missing home/.profile
'

# The environment of a process stays shut only because of the namespace that
# keeps this run from making others.
test_expect_success LANDLOCK,NAMESPACES 'with Landlock alone reading alone gets through' '
	play landlock unshare -Ur sh -c "echo 0 >/proc/sys/user/max_user_namespaces && exec \"\$@\"" sh &&
	grep "fence .*Landlock.*alone" start.out &&
	through landlock && echo key >expect && test_cmp expect got &&
	outside >after && test_cmp before after
'

test_expect_success LANDLOCK,NAMESPACES 'require refuses where not all holds' '
	cd repo &&
	test_must_fail code=128 unshare -Ur sh -c "echo 0 >/proc/sys/user/max_user_namespaces && exec \"\$@\"" sh \
		git-flower start --rehearse --new --fence require --name none x 2>../err && cd .. &&
	test_grep "flower.fence is require" err && test_grep "^hint: " err &&
	test_must_fail git -C repo rev-parse --verify -q refs/flower/run/none
'

test_expect_success 'a plant in a tree is not run by us, though it would run' '
	cat >plant <<-END &&
	git config core.fsmonitor "touch \"$TRASH_DIRECTORY/out/fsmonitor\"; false"
	git config diff.external "touch \"$TRASH_DIRECTORY/out/diff\"; true"
	git config filter.x.clean "touch \"$TRASH_DIRECTORY/out/filter\"; cat"
	echo "* filter=x" >.gitattributes; echo more >>first.t
	END
	rm -rf out && mkdir out &&
	{
		printf -- "- call:\n    tool: Bash\n    input:\n      description: plant\n      command: |\n" &&
		sed "s/^/        /" plant && flower_report
	} | flower_script true &&
	(cd repo && git-flower start --rehearse=../script.yaml --new --timeout 0 --name plant x </dev/null >../start.out 2>&1) &&
	test_must_be_empty start.err && ls out >actual && test_must_be_empty actual &&
	git clone -q repo victim && (cd victim && sh ../plant && git status && git diff && git add -A) >/dev/null 2>&1 &&
	ls out >actual && printf "diff\nfilter\nfsmonitor\n" >expect && test_cmp expect actual
'

test_expect_success LANDLOCK 'a command check can write in its tree' '
	echo "- call: {tool: Bash, input: {command: \"echo x >made\", description: make}}" >turns &&
	flower_report >>turns &&
	flower_script "echo x >written && mktemp >/dev/null && test -s written" <turns &&
	(cd repo && git-flower start --rehearse=../script.yaml --new --timeout 0 --name checked x </dev/null) &&
	test "$(git -C repo show flower/join/checked:made)" = x
'

test_done
