#!/bin/sh

test_description='a disk that is full

The state folder, the git directory or both are on a file system of their own that
has no space left, or little, at some moment of a run. The run stops and says what
is full; no half record is left; with space made it goes on to the same end.'

# In a mount namespace of our own, where there are such.
if test -z "$FLOWER_MAY_MOUNT" && unshare -Urm mount -t tmpfs none /mnt 2>/dev/null
then
	FLOWER_MAY_MOUNT=1
	export FLOWER_MAY_MOUNT
	exec unshare -Urm sh "$0" "$@"
fi

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_lazy_prereq MOUNT 'mkdir m && mount -t tmpfs -o size=64k none m && umount m'
test_have_prereq MOUNT || skip_all 'missing MOUNT'

# How many KB are left free when it fills up: none, or one of these.
little='4 8 16 24 32 48 64 96 128 160 200 250 300 400 600'
cases=0

# sizes_of <case> prints what is left free in it: all that there are, or one that
# the seed picks. In every third case, so once at each moment and place, it is none.
sizes_of () {
	if test -n "$TEST_LONG"
	then
		echo 0 $little
	elif test $((($1 + $1 / 3 + test_seed) % 3)) = 0
	then
		echo 0
	else
		test_pick 1 15 "$1" >picked && echo $little | cut -d" " -f"$(cat picked)"
	fi
}

test_expect_success 'setup, and an uninterrupted run' '
	flower_script "test -s half && cat half half half | cmp - whole" <<-END &&
	- call: {tool: Bash, input: {command: "test -s half || echo half >half; : >\"$TRASH_DIRECTORY/at-work\"; while test ! -e \"$TRASH_DIRECTORY/go\"; do sleep 0.02; done"}}
	- call: {tool: Bash, input: {command: "test -s half || echo half >half; cat half half half >whole; git add .; git commit -q -m whole"}}
	$(flower_report)
	END
	: >go && mkdir home-of-state && test_commit -C repo first && cp -R repo plain &&
	cd plain && flower_play --name odd "do it" && test "$flower_code" = 0 &&
	flower_canonical odd >../expect && git rev-parse flower/join/odd^{tree} >../expect.tree
'

# on <where>: a repository whose state folder, git directory or temp folder is on
# full/, which holds 8 MB.
on () {
	rm -f go at-work && mkdir full && mount -t tmpfs -o size=8m none full &&
	case $1 in
	state) mkdir at && git clone -q plain at/repo && XDG_STATE_HOME=$TRASH_DIRECTORY/full/state TMPDIR=$TRASH_DIRECTORY/tmp ;;
	git) mkdir at && git clone -q plain full/repo && ln -s ../full/repo at/repo && XDG_STATE_HOME=$TRASH_DIRECTORY/at/state TMPDIR=$TRASH_DIRECTORY/tmp ;;
	temp) mkdir at && git clone -q plain at/repo && XDG_STATE_HOME=$TRASH_DIRECTORY/at/state TMPDIR=$TRASH_DIRECTORY/full ;;
	esac
}
off () {
	cd "$TRASH_DIRECTORY" && umount full && rm -rf full at
}

# fill <kb> leaves that much free, or less: the run may write between the look at
# what is free and the filling, which then ends at a disk that is full.
fill () {
	rm -f full/fill &&
	free=$(df -k full | awk "END {print \$4}") &&
	{ head -c $(((free - $1) * 1024)) /dev/zero >full/fill 2>/dev/null || test -s full/fill; }
}

# stopped: how it ended; a full disk is named, or it did not need the space.
stopped () {
	test "$flower_code" = 0 && return
	{ test "$flower_code" = 128 || test "$flower_code" = 3; } &&
	grep -i -e "no space left" -e "not enough room" -e "disk is full" "$1" >"$TRASH_DIRECTORY/told" && grep "^hint: " "$1" && ! grep -i panic "$1" || {
		echo "exit $flower_code"
		cat "$1"
		return 1
	}
}

# goes_on <where>: with space, to the same end. A worker whose own files were cut
# off needs another round.
goes_on () {
	rm -f "$TRASH_DIRECTORY/full/fill" && git fsck --strict --no-dangling &&
	if git rev-parse -q --verify refs/flower/run/odd
	then
		git flower fsck && git flower resume odd --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 </dev/null >"$TRASH_DIRECTORY/out" 2>&1
	else
		git-flower start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "do it" </dev/null >"$TRASH_DIRECTORY/out" 2>&1
	fi || { cat "$TRASH_DIRECTORY/out"; return 1; }
	flower_canonical odd >"$TRASH_DIRECTORY/actual" &&
	{ test "$1" = state || test_cmp "$TRASH_DIRECTORY/expect" "$TRASH_DIRECTORY/actual"; } &&
	git rev-parse flower/join/odd^{tree} >"$TRASH_DIRECTORY/actual.tree" && test_cmp "$TRASH_DIRECTORY/expect.tree" "$TRASH_DIRECTORY/actual.tree" &&
	git fsck --strict --no-dangling && git flower fsck
}

# abandoned: nothing that still runs keeps the full disk from the next case.
abandoned () {
	: >"$TRASH_DIRECTORY/go"
	flower_kill
	return 1
}

at_work () {
	on $1 &&
	(
		cd at/repo &&
		flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "do it" &&
		test_wait_for test -e "$TRASH_DIRECTORY/at-work" && (cd "$TRASH_DIRECTORY" && fill $2) && : >"$TRASH_DIRECTORY/go" && flower_wait &&
		cd "$TRASH_DIRECTORY/at/repo" && stopped "$TRASH_DIRECTORY/background.err" && goes_on $1 ||
		abandoned
	) && off
}

from_the_start () {
	on $1 && : >go && fill $2 &&
	(
		cd at/repo && flower_code=0 &&
		{ git-flower start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "do it" </dev/null >"$TRASH_DIRECTORY/out" 2>"$TRASH_DIRECTORY/err" || flower_code=$?; } &&
		stopped "$TRASH_DIRECTORY/err" && goes_on $1
	) && off
}

ended () {
	on $1 &&
	(
		cd at/repo &&
		flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "do it" &&
		test_wait_for test -e "$TRASH_DIRECTORY/at-work" && (cd "$TRASH_DIRECTORY" && fill $2) &&
		kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143 && : >"$TRASH_DIRECTORY/go" &&
		cd "$TRASH_DIRECTORY/at/repo" && goes_on $1 ||
		abandoned
	) && off
}

each () {
	for where in state git temp
	do
		sizes=$(sizes_of $cases) cases=$((cases + 1))
		for size in $sizes
		do
			$1 $where $size || {
				echo "$1: $where with $size KB free"
				cat background.err
				off
				return 1
			}
		done
	done
}

test_expect_success 'it fills up while a worker works' '
	each at_work &&
	at_work state 16 # git says "Out of diskspace"
'

test_expect_success 'it is full from the start' '
	each from_the_start &&
	from_the_start git 8 && # git says that it could not write, and not why
	from_the_start git 64 # the session store can be made, and the shared memory of its log cannot
'

test_expect_success 'it fills up and we are ended' '
	each ended
'

test_done
