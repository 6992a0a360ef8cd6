#!/bin/sh

test_description='where there is no room for a tree

Said before anything is filled, with what is needed, what is there and where; the
run stands at a save point and goes on when there is room.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_lazy_prereq TMPFS '
	mkdir probe && mount -t tmpfs -o size=1m tmpfs probe && umount probe
'

test_expect_success 'what a run with room comes to' '
	git init plain && test_commit -C plain first &&
	awk "BEGIN {for (i = 0; i < 400000; i++) print \"line\", i}" >plain/large &&
	git -C plain add large && test_commit -C plain second &&
	git clone plain roomy && cd roomy &&
	flower_start --name odd "odd place" &&
	flower_canonical odd >../expect
'

# in_a_small_place <options of mount>: a run in a state folder of its own. It ends
# for want of room, and goes on when there is some.
in_a_small_place () {
	mkdir "$TRASH_DIRECTORY/place" && mount -t tmpfs -o "$1" tmpfs "$TRASH_DIRECTORY/place" &&
	test_when_finished "umount \"$TRASH_DIRECTORY/place\" && rmdir \"$TRASH_DIRECTORY/place\"" &&
	(
		XDG_STATE_HOME=$TRASH_DIRECTORY/place && export XDG_STATE_HOME &&
		test_must_fail code=128 git flower start --rehearse --timeout 0 --name odd "odd place" </dev/null 2>../err &&
		test_grep "not enough room in .*place" ../err &&
		test_grep "^hint: .*resume odd" ../err &&
		git flower status odd >../out &&
		git flower fsck odd &&
		find "$XDG_STATE_HOME" -name large >../out && test_must_be_empty ../out &&
		mount -o remount,size=200m,nr_inodes=10000 "$TRASH_DIRECTORY/place" &&
		git flower resume odd --timeout 0 </dev/null >../out &&
		flower_canonical odd >../actual && test_cmp ../expect ../actual
	)
}

test_expect_success TMPFS 'too few bytes' '
	git clone plain bytes && cd bytes &&
	in_a_small_place size=6m,nr_inodes=10000
'

test_expect_success TMPFS 'too few files' '
	git clone plain files && cd files &&
	in_a_small_place size=200m,nr_inodes=60
'

test_done
