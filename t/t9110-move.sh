#!/bin/sh

test_description='plain git is enough to move a run to another machine

A run is broken off, its refs are pushed to a bare repository and fetched into a
clone at another path, where another person with another state folder resumes it.
It must come to the same end.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# After every how many records a run is moved; TEST_MOVE_EVERY=1 is the whole matrix.
every=${TEST_MOVE_EVERY:-4}

# move <from> <to> pushes the runs of one clone and fetches them into a new one.
move () {
	git init -q --bare "hub-$2.git" &&
	git -C "$1" push -q "$TRASH_DIRECTORY/hub-$2.git" HEAD:refs/heads/main "refs/flower/*:refs/flower/*" &&
	mkdir -p "elsewhere of $2" &&
	git clone -q "hub-$2.git" "elsewhere of $2/$2" &&
	git -C "elsewhere of $2/$2" fetch -q origin "refs/flower/*:refs/flower/*"
}

# there <to> <command>... in the clone, as somebody else.
there () {
	(
		cd "elsewhere of $1/$1" &&
		HOME="$TRASH_DIRECTORY/home of $1" && XDG_STATE_HOME= XDG_CONFIG_HOME= XDG_CACHE_HOME= &&
		mkdir -p "$HOME" && export HOME XDG_STATE_HOME XDG_CONFIG_HOME XDG_CACHE_HOME &&
		git config --global user.name "Some Body" && git config --global user.email some@example.com &&
		shift && "$@"
	)
}

# resume_there <to> [<option>...] goes on without a person; the commands of the
# goal, if there is one already, are accepted.
resume_there () {
	resumed=$1 && shift &&
	goal=$(there "$resumed" git log -1 --format=%H --grep "^goal: " refs/flower/run/odd) &&
	there "$resumed" git flower resume --timeout 0 --trust "${goal:-HEAD}" "$@" </dev/null
}

same_end () {
	there "$1" flower_canonical odd >actual &&
	test_cmp expect actual &&
	there "$1" git diff flower/base/odd flower/join/odd -- >actual.diff &&
	test_cmp expect.diff actual.diff
}

test_expect_success 'a run that stays' '
	git init plain && test_commit -C plain first && cd plain &&
	flower_start --name odd "odd place" &&
	flower_canonical odd >../expect &&
	git diff flower/base/odd flower/join/odd -- >../expect.diff &&
	git flower status --json odd | sed -n "s/.*\"spent_micro_usd\":\([0-9]*\).*/\1/p" >../spent.plain &&
	test_grep "^[1-9][0-9]*$" ../spent.plain &&
	flower_kinds odd >../kinds && wc -l <../kinds >../records
'

# dies_after <nth> <directory>: the process dies after that record.
dies_after () {
	git clone -q plain "$2" &&
	(
		cd "$2" &&
		flower_crash append-after-ref:$1 start --rehearse --timeout 0 --name odd "odd place" >../out 2>&1
	)
}

moved_after () {
	dies_after $1 "from$1" &&
	move "from$1" "to$1" &&
	resume_there "to$1" >out 2>&1 &&
	same_end "to$1"
}

test_expect_success CRASH 'moved after any record, it comes to the same end' '
	n=1 &&
	while test $n -le "$(cat records)"
	do
		moved_after $n || {
			cat out
			echo "moved after record $n"
			return 1
		}
		n=$((n + every))
	done
'

# A run that waits for its answer, killed with the question open.
asks () {
	git clone -q plain "$1" && cd "$1" &&
	flower_background start --rehearse --timeout 10m --name odd "odd place" &&
	flower_wait_event "\"kind\":\"ask\"" &&
	flower_kill && cd ..
}

# fresh_brief <to>: what the answer was is in the brief there, and nothing was asked twice.
fresh_brief () {
	there "$1" git show flower/run/odd:brief.md >brief &&
	test_grep "The note is for: my aunt" brief &&
	test "$(there "$1" flower_count question odd)" = 1 &&
	test "$(there "$1" flower_count answer odd)" = 1
}

test_expect_success 'an open question is not asked anew: its answer is waited for, and reaches the fresh session' '
	asks asked && move asked asked-there &&
	(
		cd "elsewhere of asked-there/asked-there" &&
		flower_background resume --timeout 10m odd &&
		flower_wait_event "\"kind\":\"ask\"" &&
		git flower answer --run odd "my aunt" &&
		flower_wait && test "$flower_code" = 0
	) &&
	fresh_brief asked-there
'

test_expect_success 'answered before anybody resumed it' '
	asks early && move early early-there &&
	there early-there git flower answer --run odd "my aunt" &&
	resume_there early-there >out 2>&1 &&
	fresh_brief early-there
'

test_expect_success 'answered, and killed before the session could use it' '
	asks used &&
	(cd used && git flower answer --run odd "my aunt") && move used used-there &&
	resume_there used-there >out 2>&1 &&
	fresh_brief used-there
'

test_expect_success CRASH 'what was spent counts' '
	dies_after 12 spent &&
	move spent spent-there &&
	test_expect_code 3 resume_there spent-there --budget 0.02 >out 2>err &&
	test_grep "budget" err &&
	resume_there spent-there --budget 5 >out 2>err &&
	same_end spent-there &&
	there spent-there git ls-tree --name-only flower/run/odd ledger/ >ledger &&
	test_line_count -ge 2 ledger &&
	there spent-there git flower status --json odd >two &&
	sed -n "s/.*\"spent_micro_usd\":\([0-9]*\).*/\1/p" two >spent.two &&
	: fresh sessions cost a little more, never less &&
	test "$(cat spent.two)" -ge "$(cat spent.plain)"
'

test_expect_success CRASH 'a run without any branch beside it' '
	dies_after 8 bare-from &&
	git init -q --bare hub-bare.git &&
	git -C bare-from push -q "$TRASH_DIRECTORY/hub-bare.git" "refs/flower/*:refs/flower/*" &&
	mkdir "elsewhere of bare" && git clone -q --bare hub-bare.git "elsewhere of bare/bare" &&
	there bare git fetch -q origin "refs/flower/*:refs/flower/*" &&
	resume_there bare >out 2>&1 &&
	test_grep "script is not on this machine" out &&
	same_end bare
'

test_expect_success CRASH 'and back: where it began it has ended' '
	dies_after 10 begun &&
	move begun away &&
	resume_there away >out 2>&1 &&
	there away git push -q origin "refs/flower/*:refs/flower/*" &&
	cd begun &&
	git fetch -q ../hub-away.git "refs/flower/*:refs/flower/*" &&
	git flower status odd >../out && test_grep reached ../out &&
	tip=$(git rev-parse flower/run/odd) &&
	git flower resume odd --timeout 0 </dev/null >../out &&
	test "$tip" = "$(git rev-parse flower/run/odd)" &&
	flower_canonical odd >../actual && test_cmp ../expect ../actual &&
	git flower land --rehearsed odd && test_path_exists rehearsal-odd.md
'

# A worker that leaves a file half done, waits until it may go on, and tells in
# ../seen what it found of its work.
waiting_script () {
	flower_script "test -f half -a -f whole" <<-END &&
	- call: {tool: Bash, input: {command: "ls >>'$TRASH_DIRECTORY/seen'; echo half >half; : >'$TRASH_DIRECTORY/running'; while test ! -e '$TRASH_DIRECTORY/go'; do sleep 0.05; done", description: wait}}
	- call: {tool: Bash, input: {command: "cp half whole", description: copy}}
	$(flower_report)
	END
	flower_takeover
}

test_expect_success 'a worker with unfinished work, in a run that stays' '
	waiting_script && : >go &&
	git clone -q plain steady && cd steady &&
	flower_play --name odd "unfinished" && test "$flower_code" = 0 &&
	flower_canonical odd >../expect &&
	git diff flower/base/odd flower/join/odd -- >../expect.diff &&
	test_grep whole ../expect.diff
'

# begins <directory>: until the worker waits.
begins () {
	rm -f go running seen &&
	git clone -q plain "$1" && cd "$1" &&
	flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name odd "unfinished" &&
	test_wait_for test -e ../running &&
	cd ..
}

# ends_there <to> resumes it, with a worker that waits no longer.
ends_there () {
	rm -f seen && : >go &&
	resume_there "$1" --rehearse="$TRASH_DIRECTORY/script.yaml" >out 2>&1 || {
		cat out
		return 1
	}
	same_end "$1"
}

test_expect_success 'a worker that was interrupted: its dirty tree travels' '
	begins stopped &&
	kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143 &&
	git -C stopped rev-parse --verify refs/flower/work/odd/coder-1 &&
	move stopped stopped-there &&
	ends_there stopped-there &&
	test_grep "^half$" seen &&
	test_grep "coder-1.*refs/flower/work/odd/coder-1" out &&
	test_grep "another machine" out
'

test_expect_success 'a worker that was killed: what did not travel is done again, and said' '
	begins killed &&
	flower_kill &&
	move killed killed-there &&
	ends_there killed-there &&
	test_grep ! "^half$" seen &&
	test_grep "coder-1.*starts again" out
'

test_expect_success 'on the same machine nothing is said of another one' '
	begins same &&
	kill -TERM $flower_pid && flower_wait &&
	: >go && cd same &&
	git flower resume --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 </dev/null >../out &&
	test_grep ! "another machine" ../out &&
	flower_canonical odd >../actual && test_cmp ../expect ../actual
'

test_done
