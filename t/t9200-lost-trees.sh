#!/bin/sh

test_description='a worker'\''s tree that is removed, moved, exchanged or locked under it

By hand, while its worker works, between two wakes and as it hands in. The run
comes to its end, what was kept is there, what was lost is said, and nothing of
the user'\''s is touched.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# The worker writes half, waits until it may go on, makes whole of it and ends
# with what stands in ../last.
test_expect_success 'setup' '
	flower_script "test -f half && test -f whole" <<-END &&
	- call: {tool: Bash, input: {command: "echo half >half; pwd >\"$TRASH_DIRECTORY/tree\"; while test ! -e \"$TRASH_DIRECTORY/go\"; do sleep 0.02; done"}}
	- call: {tool: Bash, input: {command: "test -f half || echo half >half; cp half whole"}}
	- call: {tool: Bash, input: {command: ". \"$TRASH_DIRECTORY/last\""}}
	$(flower_report)
	END
	: >last &&
	git init -q elsewhere && test_commit -C elsewhere other
'

# state prints what a run must not touch.
state () {
	git rev-parse HEAD &&
	git for-each-ref refs/heads refs/tags refs/stash &&
	git ls-files --stage &&
	git status --porcelain --ignored &&
	git config --list --local
}

# begins <name>: until the worker waits; its tree is $tree.
begins () {
	rm -rf go tree &&
	git init -q "$1" && test_commit -C "$1" first && cd "$1" &&
	state >../before &&
	flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "do it" &&
	test_wait_for test -s ../tree &&
	cd .. && tree=$(cat tree) && slot=$(dirname "$tree") && test -f "$tree/half"
}

# ended: here, with the result, and without having touched anything.
ended () {
	state >../after && test_cmp ../before ../after &&
	test "$(flower_count end odd)" = 1 &&
	git show flower/join/odd:whole >../whole && echo half | test_cmp - ../whole &&
	git show -s --format=%B flower/join/odd >/dev/null &&
	git -C ../elsewhere status --porcelain >../out && test_must_be_empty ../out &&
	test "$(git -C ../elsewhere rev-list --all | wc -l)" = 1
}

# What can happen to a tree. Each is done in the folder above it.
remove () { rm -rf tree; }
empty () { find tree -mindepth 1 -delete; }
slot () { rm -rf ../"$(basename "$slot")"; }
all () { rm -rf ../../tree; }
move () { mv tree "$TRASH_DIRECTORY/moved.$1"; }
as_file () { rm -rf tree && echo no tree >tree; }
as_link () { mv tree "$TRASH_DIRECTORY/away.$1" && ln -s "$TRASH_DIRECTORY/elsewhere" tree; }
no_git () { rm tree/.git; }
other_git () { echo "gitdir: $TRASH_DIRECTORY/elsewhere/.git" >tree/.git; }
users_git () { echo "gitdir: $TRASH_DIRECTORY/$1/.git" >tree/.git; }
planted_git () {
	rm tree/.git && git init -q tree &&
	git -C tree config core.fsmonitor "touch '$TRASH_DIRECTORY/planted'; false" &&
	git -C tree config core.hooksPath "$TRASH_DIRECTORY/hooks"
}
no_gitdir () { rm -rf git; }
no_index () { rm -f index; }
no_owner () { rm -f owner; }
bad_owner () { echo "{" >owner; }
bad_head () { echo "ref: ../../../HEAD" >git/HEAD; }
no_lock () { rm -f lock; }

harms='remove slot users_git planted_git no_gitdir bad_owner'
test -z "$TEST_LONG" || harms="$harms empty all move as_file no_git other_git no_index no_owner bad_head no_lock"

# each <moment>: every harm at that moment; the worker waits in $tree.
each () {
	for harm in $harms
	do
		$1 $harm || {
			echo "$harm"
			cat ../out background.out background.err
			return 1
		}
	done
}

harm () {
	(cd "$slot" && $1 "$2") && : >go && cd "$2"
}

at_work () {
	begins work-$1 && harm $1 work-$1 &&
	flower_wait && test "$flower_code" = 0 && ended && cd ..
}

test_expect_success 'while the worker works' '
	each at_work
'

between_wakes () {
	begins wakes-$1 && kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143 &&
	harm $1 wakes-$1 &&
	git flower resume odd --timeout 0 </dev/null >../out 2>&1 && ended && cd ..
}

test_expect_success 'between two wakes' '
	each between_wakes
'

killed () {
	begins killed-$1 && flower_kill && harm $1 killed-$1 &&
	git flower resume odd --timeout 0 </dev/null >../out 2>&1 && ended && cd ..
}

test_expect_success 'after we were killed' '
	each killed
'

# The last command of the first worker does it, so what it has made was there until then.
handed_in () {
	(sed -n "/^remove ()/,/^no_lock ()/p" "$TEST_DIRECTORY/t9200-lost-trees.sh" &&
		printf "TRASH_DIRECTORY=\"%s\" slot=\$(dirname \"\$(pwd)\")\ncd .. && mkdir \"\$TRASH_DIRECTORY/once-%s\" && %s hand-%s\n" "$TRASH_DIRECTORY" $1 $1 $1) >last &&
	begins hand-$1 && : >go && cd hand-$1 &&
	flower_wait && test "$flower_code" = 0 && ended && cd ..
}

test_expect_success 'as it hands in' '
	test_when_finished ": >last" && each handed_in
'

test_expect_success 'nothing that was put there ran' '
	test_path_missing planted && test_path_missing hooks
'

test_done
