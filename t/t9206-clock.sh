#!/bin/sh

test_description='the clock jumps between two wakes, back and forth

The binary of the tests has a clock that is wrong by GIT_FLOWER_CLOCK seconds. A
record is never dated before the one it follows, and the run comes to the same end.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_have_prereq CRASH || skip_all 'missing CRASH'

test_expect_success 'setup, and an uninterrupted run' '
	flower_script "test -f done" <<-END &&
	- call: {tool: Bash, input: {command: "echo done >done; : >\"$TRASH_DIRECTORY/at-work\"; while test ! -e \"$TRASH_DIRECTORY/go\"; do sleep 0.02; done"}}
	$(flower_report)
	END
	: >go && test_commit -C repo first && cp -R repo whole &&
	cd whole && flower_play --name odd "do it" && test "$flower_code" = 0 && flower_canonical odd >../expect
'

# clock <seconds> <command>... becomes git flower with the clock off by that much.
clock () {
	GIT_FLOWER_CLOCK=$1 && export GIT_FLOWER_CLOCK && shift && exec "$TEST_FLOWER_CRASH_BIN/git-flower" "$@"
}

# no_date_goes_back: along the records, and in the order in which they were made.
no_date_goes_back () {
	git log --reverse --format="%ct %at" flower/run/odd >../dates &&
	awk "{ if (\$1 < last || \$2 < last) bad = 1; last = \$1 } END { exit bad }" ../dates || {
		cat ../dates
		return 1
	}
}

# jump <first> <then> [<at last>]: a wake at one time that is cut off, one at another
# that is killed, one that ends.
jump () {
	rm -rf go at-work at && cp -R repo at && cd at &&
	{ clock $1 start --rehearse=../script.yaml --timeout 0 --name odd "do it" >../out 2>&1 </dev/null & pid=$!; } &&
	test_wait_for test -e ../at-work && kill -TERM $pid && { wait $pid; test $? = 143; } &&
	rm ../at-work &&
	{ clock $2 resume odd >../out 2>&1 </dev/null & pid=$!; } &&
	test_wait_for test -e ../at-work && kill -9 $pid && { wait $pid || :; } &&
	: >../go &&
	(clock $3 resume odd >../out 2>&1 </dev/null) &&
	no_date_goes_back &&
	flower_canonical odd >../actual && test_cmp ../expect ../actual &&
	(clock $2 status >../out) && (clock $1 log odd >../out) &&
	git flower fsck odd && cd ..
}

day=86400

test_expect_success 'forward, and back again' '
	jump 0 $((400 * day)) 0
'

test_expect_success 'back, and further back' '
	jump 0 -$((400 * day)) -$((4000 * day))
'

test_expect_success 'long ago and after 2038' '
	jump -$((20000 * day)) $((6000 * day)) 0
'

test_done
