#!/bin/sh

test_description='test-lib.sh itself: what it lets pass and what it does not'

. "$(dirname "$0")/test-lib.sh"

# run_sub <name> [<option>...] runs standard input as a script of its own; its
# output is in <name>.out and its exit code in <name>.code.
run_sub () {
	sub=$1
	shift
	{
		echo "test_description='a script within a script'" &&
		echo '. "$TEST_DIRECTORY/test-lib.sh"' &&
		cat
	} >"$sub.sh" &&
	{
		sub_code=0
		TMPDIR="$TMPDIR" ${TEST_SHELL:-sh} "./$sub.sh" "$@" >"$sub.out" 2>"$sub.err" || sub_code=$?
		echo "$sub_code" >"$sub.code"
	}
}

# expect_sub <name> <code> compares with standard input, comments aside.
expect_sub () {
	grep -v '^#' "$1.out" >"$1.actual"
	cat >"$1.expect" &&
	test_cmp "$1.expect" "$1.actual" &&
	echo "$2" >"$1.expect" &&
	test_cmp "$1.expect" "$1.code"
}

fsck_line='every repository passes git fsck --strict and git flower fsck'

test_expect_success 'a test that succeeds' '
	run_sub pass <<-\EOF &&
	test_expect_success "one" "true"
	test_expect_success "two" "
		true &&
		true
	"
	test_done
	EOF
	expect_sub pass 0 <<-EOF
	ok 1 - one
	ok 2 - two
	ok 3 - $fsck_line
	1..3
	EOF
'

test_expect_success 'a test that fails makes the script fail, and shows why' '
	run_sub fail <<-\EOF &&
	test_expect_success "one" "echo the reason && false"
	test_expect_success "two" "true"
	test_done
	EOF
	expect_sub fail 1 <<-EOF &&
	not ok 1 - one
	ok 2 - two
	ok 3 - $fsck_line
	1..3
	EOF
	test_grep "^# the reason" fail.out &&
	test_grep "^# echo the reason && false" fail.out
'

test_expect_success 'with -i the first failure ends the script' '
	run_sub immediate -i <<-\EOF &&
	test_expect_success "one" "false"
	test_expect_success "two" "true"
	test_done
	EOF
	expect_sub immediate 1 <<-EOF
	not ok 1 - one
	ok 2 - $fsck_line
	1..2
	EOF
'

test_expect_success 'a line whose failure nobody would see is a failure' '
	run_sub chain <<-\EOF &&
	test_expect_success "one" "
		false
		true
	"
	test_done
	EOF
	expect_sub chain 1 <<-EOF &&
	not ok 1 - one
	ok 2 - $fsck_line
	1..2
	EOF
	test_grep "broken && chain" chain.out
'

test_expect_success 'a known bug passes as long as it is one' '
	run_sub known <<-\EOF &&
	test_expect_failure "a bug" "false"
	test_done
	EOF
	expect_sub known 0 <<-EOF &&
	not ok 1 - a bug # TODO known bug
	ok 2 - $fsck_line
	1..2
	EOF
	run_sub cured <<-\EOF &&
	test_expect_failure "a bug" "true"
	test_done
	EOF
	echo 1 >expect &&
	test_cmp expect cured.code
'

test_expect_success 'a script that ends early fails' '
	run_sub early <<-\EOF &&
	test_expect_success "one" "true"
	EOF
	test_grep "^not ok 2 - the script ended before test_done" early.out &&
	run_sub exit <<-\EOF &&
	test_expect_success "one" "echo last words && exit 0"
	test_done
	EOF
	test_grep "^not ok 1 - the script ended before test_done" exit.out &&
	test_grep "^# last words" exit.out &&
	echo 1 >expect &&
	test_cmp expect early.code &&
	test_cmp expect exit.code
'

test_expect_success 'what is missing is skipped and named' '
	run_sub skip <<-\EOF &&
	test_lazy_prereq THERE "true"
	test_lazy_prereq GONE "false"
	test_expect_success THERE "one" "true"
	test_expect_success THERE,GONE,UNHEARD_OF "two" "false"
	test_expect_success !GONE "three" "true"
	test_expect_success !THERE "four" "false"
	test_done
	EOF
	expect_sub skip 0 <<-EOF &&
	ok 1 - one
	ok 2 - two # skip missing GONE,UNHEARD_OF
	ok 3 - three
	ok 4 - four # skip missing !THERE
	ok 5 - $fsck_line
	1..5
	EOF
	run_sub all <<-\EOF &&
	skip_all "no moon"
	EOF
	expect_sub all 0 <<-\EOF
	1..0 # skip no moon
	EOF
'

test_expect_success 'a repository that is broken fails the script, unless it is meant to be' '
	cat >broken <<-\EOF &&
	test_expect_success "break it" "
		test_commit one &&
		tree=\$(git rev-parse HEAD^{tree}) &&
		rm -f .git/objects/\$(echo \$tree | sed s,..,\&/,)
	"
	EOF
	{ cat broken && echo test_done; } >script &&
	run_sub broken1 <script &&
	expect_sub broken1 1 <<-EOF &&
	ok 1 - break it
	not ok 2 - $fsck_line
	1..2
	EOF
	{ cat broken && echo "test_ignore_repository ." && echo test_done; } >script &&
	run_sub broken2 <script &&
	expect_sub broken2 0 <<-EOF
	ok 1 - break it
	ok 2 - $fsck_line
	1..2
	EOF
'

test_expect_success 'the trash goes when all is well and stays when not' '
	ls -d "$TMPDIR/trash "*fail* "$TMPDIR/trash "*broken1* &&
	test_must_fail ls -d "$TMPDIR/trash "*pass* &&
	rm -rf "$TMPDIR/trash "*
'

test_expect_success 'tests share variables, not the directory' '
	shared=yes &&
	mkdir -p sub &&
	cd sub
'
test_expect_success 'tests share variables, not the directory (verify)' '
	test "$shared" = yes &&
	test "$(basename "$(pwd)")" = repo
'

test_expect_success 'test_when_finished runs last in, first out, also after a failure' '
	run_sub finish <<-\EOF &&
	test_expect_success "one" "
		test_when_finished \"echo first >>../log\" &&
		test_when_finished \"echo second >>../log\" &&
		false
	"
	test_expect_success "two" "
		printf \"second\nfirst\n\" >expect &&
		test_cmp expect ../log
	"
	test_done
	EOF
	expect_sub finish 1 <<-EOF
	not ok 1 - one
	ok 2 - two
	ok 3 - $fsck_line
	1..3
	EOF
'

test_expect_success 'test_must_fail wants a controlled failure' '
	test_must_fail false &&
	test_must_fail sh -c "exit 128" &&
	test_must_fail sh -c "exit 129" &&
	! test_must_fail true &&
	! test_must_fail no-such-command &&
	! test_must_fail sh -c "kill -9 \$\$" &&
	! test_must_fail sh -c "exit 141" &&
	! test_must_fail sh -c "echo panic: index out of range >&2; exit 2"
'

test_expect_success 'test_must_fail and test_expect_code want the code they name' '
	test_must_fail code=3 sh -c "exit 3" &&
	! test_must_fail code=3 sh -c "exit 4" &&
	! test_must_fail code=3 true &&
	test_expect_code 0 true &&
	test_expect_code 2 sh -c "exit 2" &&
	! test_expect_code 2 sh -c "echo fatal error: all asleep >&2; exit 2" &&
	! test_expect_code 1 true
'

test_expect_success 'test_must_fail passes standard error on' '
	test_must_fail sh -c "echo said >&2; exit 1" 2>actual &&
	echo said >expect &&
	test_cmp expect actual
'

test_expect_success 'test_cmp, test_line_count, test_grep and paths' '
	printf "a\nb\n" >two &&
	echo a >one &&
	test_cmp two two &&
	! test_cmp one two &&
	! test_cmp one nowhere &&
	! test_cmp one &&
	test_line_count = 2 two &&
	test_line_count -gt 1 two &&
	! test_line_count = 2 one &&
	! test_line_count = 0 nowhere &&
	test_grep b two &&
	test_grep ! b one &&
	test_grep -i B two &&
	! test_grep b one &&
	! test_grep ! a one &&
	! test_grep ! a nowhere &&
	: >empty &&
	test_must_be_empty empty &&
	! test_must_be_empty one &&
	! test_must_be_empty nowhere &&
	test_path_exists one &&
	test_path_missing nowhere &&
	! test_path_missing one &&
	! test_path_exists nowhere
'

test_expect_success 'test_wait_for waits until it is so, or until the deadline' '
	rm -f flag &&
	{ (sleep 0.1; : >flag) & } &&
	test_wait_for test -f flag &&
	wait &&
	! test_wait_for -t 1 test -f nowhere 2>err &&
	test_grep "waited 1 seconds in vain: test -f nowhere" err
'

test_expect_success 'the environment is ours' '
	git config --global user.email >actual &&
	echo author@example.com >expect &&
	test_cmp expect actual &&
	test "$HOME" = "$TRASH_DIRECTORY/home" &&
	test "$TZ $LC_ALL $TERM" = "UTC C dumb" &&
	cat >names <<-\EOF &&
	GIT_DIR
	GIT_INDEX_FILE
	GIT_FLOWER_CRASH
	ANTHROPIC_API_KEY
	CLAUDE_CONFIG_DIR
	FLOWER_ENV
	XDG_RUNTIME_DIR
	MY_TOKEN
	EMAIL
	EDITOR
	EOF
	sed "s/$/=leaked/" names >settings &&
	run_sub scrub <<-\EOF &&
	env >"$TRASH_DIRECTORY/../environment"
	test_expect_success "one" "true"
	test_done
	EOF
	mv scrub.out before &&
	env $(cat settings) ${TEST_SHELL:-sh} ./scrub.sh >after &&
	test_cmp before after &&
	test_grep ! leaked "$TMPDIR/environment"
'

test_expect_success 'commits are the same in every run' '
	git init -q first &&
	git init -q second &&
	test_commit -C first "one two" dir/file content &&
	test_clock=$((test_clock - 60)) &&
	test_commit -C second "one two" dir/file content &&
	git -C first rev-parse HEAD >expect &&
	git -C second rev-parse HEAD >actual &&
	test_cmp expect actual &&
	git -C first show HEAD:dir/file >actual &&
	echo content >expect &&
	test_cmp expect actual
'

test_expect_success 'a slice has one of each part, and the seed decides which' '
	run_sub slice <<-\EOF &&
	test_expect_success "one" "test_pick 3 30 >\"\$TRASH_DIRECTORY/../picked\" && test_pick 30 3 >\"\$TRASH_DIRECTORY/../all\""
	test_done
	EOF
	: >slices &&
	for seed in 1 2 2026334 2026335 99999999999999
	do
		TEST_SEED=$seed ${TEST_SHELL:-sh} ./slice.sh >slice.out &&
		test_grep "TEST_SEED=$seed " slice.out &&
		printf "1\n2\n3\n" >expect && test_cmp expect "$TMPDIR/all" &&
		awk "{ print int((\$1 - 1) / 10) + 1 }" "$TMPDIR/picked" >parts && test_cmp expect parts &&
		echo $(cat "$TMPDIR/picked") >>slices || return 1
	done &&
	sort -u slices >different && test_line_count = 5 different
'

test_expect_success 'git finds no repository above the trash' '
	mkdir -p ../elsewhere &&
	test_must_fail code=128 git -C ../elsewhere rev-parse
'

test_expect_success FLOWER 'git finds git-flower' '
	git flower version >actual &&
	test_grep "^git-flower version" actual
'

test_done
