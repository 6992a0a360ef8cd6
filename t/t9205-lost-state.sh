#!/bin/sh

test_description='the local state is deleted in the middle of a run

Transcripts, large artifacts and spills are lost and nothing else: the run goes on from
its records to the same end, and says what is gone.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup, and an uninterrupted run' '
	flower_script "test -f half && test -f whole" <<-END &&
	- call: {tool: Bash, input: {command: "test -f half || echo half >half; : >\"$TRASH_DIRECTORY/at-work\"; while test ! -e \"$TRASH_DIRECTORY/go\"; do sleep 0.02; done"}}
	- call: {tool: Bash, input: {command: "cp half whole"}}
	$(flower_report)
	END
	: >go &&
	test_commit -C repo first && cp -R repo whole &&
	cd whole && flower_play --name odd "do it" && test "$flower_code" = 0 &&
	flower_canonical odd >../expect && git rev-parse flower/join/odd^{tree} >../expect.tree
'

begins () {
	rm -rf go at-work && cp -R repo "$1" && cd "$1" &&
	flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "do it" &&
	test_wait_for test -e ../at-work && cd ..
}

# deleted <what>: the state folder, our part of the git directory, or both.
deleted () {
	case $1 in *state*) rm -rf "$XDG_STATE_HOME/git-flower" ;; esac
	case $1 in *flower*) rm -rf "$2/.git/flower" 2>/dev/null || rm -rf "$2/.git/flower" ;; esac
}

# The goal is reached by one worker or by two, and what it says is told once.
ended () {
	git rev-parse flower/join/odd^{tree} >../actual.tree && test_cmp ../expect.tree ../actual.tree &&
	test "$(flower_count end odd)" = 1 && test "$(flower_count brief odd)" = 1 && test "$(flower_count goal odd)" = 1
}

for what in state flower state-flower
do
	test_expect_success "$what, while it works" '
		begins work-$what && deleted $what work-$what && : >go && cd work-$what &&
		flower_wait && {
			test "$flower_code" = 0 || git flower resume odd --rehearse=../script.yaml --timeout 0 </dev/null >../out 2>&1
		} && ended
	'
	test_expect_success "$what, between two wakes" '
		begins wakes-$what && kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143 &&
		deleted $what wakes-$what && : >go && cd wakes-$what &&
		git flower resume odd --rehearse=../script.yaml --timeout 0 </dev/null >../out 2>&1 && ended &&
		case $what in *flower*) grep -i "transcript.*not on this machine" ../out ;; esac
	'
	test_expect_success "$what, after we were killed" '
		begins killed-$what && flower_kill &&
		deleted $what killed-$what && : >go && cd killed-$what &&
		git flower resume odd --rehearse=../script.yaml --timeout 0 </dev/null >../out 2>&1 && ended
	'
done

test_done
