# lib-flower.sh: helpers for scripts that run git flower. Read after test-lib.sh:
#
#	. "$TEST_DIRECTORY/lib-flower.sh"
#
# A run is rehearsed: the model is a script, everything else is real.

test_has FLOWER || skip_all 'missing FLOWER'

# flower_start [<option>...] <request> runs a rehearsal to its end in this
# directory. The output is in ../start.out and ../start.err.
flower_start () {
	git flower start --rehearse "$@" </dev/null >"$TRASH_DIRECTORY/start.out" 2>"$TRASH_DIRECTORY/start.err"
	flower_code=$?
	test "$flower_code" = 0 && return
	cat >&2 "$TRASH_DIRECTORY/start.out" "$TRASH_DIRECTORY/start.err"
	return "$flower_code"
}

# flower_crash <point>:<nth> <command of git flower>...: with the binary
# that has crash points. It must die there.
flower_crash () {
	flower_point=$1
	shift
	(
		PATH=$TEST_FLOWER_CRASH_BIN:$PATH GIT_FLOWER_CRASH=$flower_point
		export PATH GIT_FLOWER_CRASH
		git flower "$@" </dev/null
	)
	flower_code=$?
	test "$flower_code" = 137 && return
	echo >&2 "did not die at $flower_point: exit $flower_code"
	return 1
}

# flower_background <command of git flower>...: in the background; its process is
# flower_pid, its output is in ../background.out and .err. Kill or wait for it.
flower_background () {
	git-flower "$@" </dev/null >"$TRASH_DIRECTORY/background.out" 2>"$TRASH_DIRECTORY/background.err" &
	flower_pid=$!
	test_when_finished "flower_kill"
}

# flower_kill ends what flower_background began, if it still lives, by SIGKILL.
# flower_lived is 0 when it was alive, else 1; flower_code is how it ended.
flower_kill () {
	test -n "$flower_pid" || return 0
	flower_lived=1
	kill -9 "$flower_pid" 2>/dev/null && flower_lived=0
	flower_code=0
	wait "$flower_pid" 2>/dev/null || flower_code=$?
	flower_pid=
	test "$flower_code" = 137 || flower_lived=1
	return 0
}

# flower_wait waits for the end of what flower_background began; its exit code is
# flower_code.
flower_wait () {
	flower_code=0
	wait "$flower_pid" || flower_code=$?
	flower_pid=
}

# flower_events [<run>] prints the events of a run, or of all.
flower_events () {
	for flower_file in "$(flower_common)/flower/run"/${1:-*}/events
	do
		test -f "$flower_file" && cat "$flower_file"
	done
	return 0
}

flower_common () {
	git rev-parse --path-format=absolute --git-common-dir
}

# flower_has_events <n>: n or more have happened, or the run is over.
flower_has_events () {
	test "$(flower_events | wc -l)" -ge "$1" && return
	test_process_gone "$flower_pid"
}

# flower_saw <pattern>: an event that matches has happened, or the run is over.
flower_saw () {
	flower_events | grep -q -e "$1" && return
	test_process_gone "$flower_pid"
}

# flower_wait_event <pattern> waits for an event of the run in the background.
flower_wait_event () {
	test_wait_for flower_saw "$1" &&
	flower_events | grep -q -e "$1" || {
		echo >&2 "no event matches: $1"
		cat >&2 "$TRASH_DIRECTORY/background.out" "$TRASH_DIRECTORY/background.err"
		return 1
	}
}

# flower_kill_at <n> <command of git flower>...: runs it and kills it with SIGKILL
# as soon as it has made n events more than there are; see flower_kill. It does
# not pause between looks: a rehearsal makes an event every few milliseconds.
flower_kill_at () {
	flower_n=$(($(flower_events | wc -l) + $1))
	shift
	flower_background "$@"
	until flower_has_events "$flower_n"
	do
		:
	done
	flower_kill
}

# flower_runs lists the names of the runs.
flower_runs () {
	git for-each-ref --format='%(refname:lstrip=3)' refs/flower/run
}

# flower_run prints the name of the only run.
flower_run () {
	flower_runs >"$test_state/runs" &&
	test_line_count = 1 "$test_state/runs" >&2 &&
	cat "$test_state/runs"
}

# flower_kinds [<run>] prints the kinds of a run's records, the oldest first.
flower_kinds () {
	git log --reverse --format='%(trailers:key=Flower-Kind,valueonly,separator=%x2C)' "refs/flower/run/${1:-$(flower_run)}"
}

# flower_count <kind> [<run>] counts a run's records of one kind.
flower_count () {
	flower_kinds "$2" | grep -c -x -e "$1"
}

# flower_canonical [<run>] prints a history that can be compared with another's.
flower_canonical () {
	git flower fsck --canonical "${1:-$(flower_run)}"
}

# flower_script <check> writes a rehearsal script to ../script.yaml: everybody does
# their part, the check is the given command, and each worker takes the turns that
# stand on standard input (YAML, a list). {{.cap.dir}} is the worker's tree.
flower_script () {
	cat >"$TRASH_DIRECTORY/script.yaml" <<-END &&
	scenes:
	  - name: clarify
	    who: {system: "(?m)^Role: clarifier\$"}
	    turns:
	      - say: |
	          ## Goal
	          Do it.

	          ## Acceptance criteria
	          - the check passes

	          ## Boundaries
	          Nothing else.

	          ## Unknowns and assumptions
	          None.
	  - name: aside
	    who: {system: "(?m)^Role: oracle\$"}
	    turns:
	      - say: I look.
	        call: {tool: Glob, input: {pattern: "*"}}
	      - say: I cannot tell.
	  - name: goal
	    who: {tools: [goal]}
	    turns:
	      - call:
	          tool: goal
	          input:
	            statement: It is done.
	            checks: [{text: the check passes, command: "$1"}]
	  - name: judge
	    who: {tools: [verdict]}
	    turns:
	      - when:
	          - if: {any: "1\\\\. passed"}
	            call: {tool: verdict, input: {state: reached, reason: It is done., checks: [{check: 1, passed: true, evidence: the command}]}}
	          - if: {any: "."}
	            call: {tool: verdict, input: {state: not-yet, reason: It is not done., checks: [{check: 1, passed: false, evidence: the command}]}}
	  - name: coordinate
	    who: {tools: [dispatch]}
	    repeat: true
	    turns:
	      - &send
	        call: {tool: dispatch, input: {tasks: [{worker: coder, task: Do it.}]}}
	      - &sent
	        say: It is done.
	      - *send
	      - *sent
	      - *send
	      - *sent
	  - name: work
	    who: {system: "(?s)Role: worker.*own at (?P<dir>.+), at the result so far"}
	    turns:
	END
	sed 's/^/      /' >>"$TRASH_DIRECTORY/script.yaml"
}

# flower_waiting_script writes one whose worker waits: it makes ../begun, and goes
# on when ../go is there.
flower_waiting_script () {
	{
		printf -- "- call:\n    tool: Bash\n    input:\n      command: |\n"
		printf "        echo begun >begun\n        touch \"%s/begun\"\n" "$TRASH_DIRECTORY"
		printf "        while test ! -e \"%s/go\"; do sleep 0.05; done\n" "$TRASH_DIRECTORY"
		flower_report
	} | flower_script "test -f begun"
}

# flower_takeover adds to ../script.yaml what a coordinator says that begins anew
# and finds the worker's report there.
flower_takeover () {
	cat >"$TRASH_DIRECTORY/takeover" <<-\END &&
	  - name: take over
	    who: {tools: [dispatch]}
	    what: {first: "(?m)^## coder-1: "}
	    turns:
	      - say: It is done.
	END
	awk -v takeover="$TRASH_DIRECTORY/takeover" \
		'/name: coordinate/ {while ((getline line <takeover) > 0) print line} {print}' \
		"$TRASH_DIRECTORY/script.yaml" >"$TRASH_DIRECTORY/script" &&
	mv "$TRASH_DIRECTORY/script" "$TRASH_DIRECTORY/script.yaml"
}

# flower_endpoint <key> has a server of its own play script.yaml as a real
# endpoint would, for this test; its address is in ../url, the bodies of the requests
# are in ../requests. Needs GO.
flower_endpoint () {
	test -x "$test_state/endpoint" || test_go_build "$test_state/endpoint" ./t/endpoint || return 1
	rm -f "$TRASH_DIRECTORY/url" "$TRASH_DIRECTORY/requests"
	"$test_state/endpoint" "$1" "$TRASH_DIRECTORY/script.yaml" "$TRASH_DIRECTORY/url" "$TRASH_DIRECTORY/requests" \
		>"$TRASH_DIRECTORY/endpoint.out" 2>&1 </dev/null &
	endpoint_pid=$!
	test_when_finished "kill $endpoint_pid; wait $endpoint_pid 2>/dev/null; true"
	test_wait_for test -s "$TRASH_DIRECTORY/url"
}

# flower_page <file> serves a page on the web of this machine, for this test; its
# address is in ../page-url, the paths that were asked for in ../page-requests. Needs GO.
flower_page () {
	test -x "$test_state/page" || test_go_build "$test_state/page" ./t/page || return 1
	rm -f "$TRASH_DIRECTORY/page-url" "$TRASH_DIRECTORY/page-requests"
	"$test_state/page" "$1" "$TRASH_DIRECTORY/page-url" "$TRASH_DIRECTORY/page-requests" </dev/null >/dev/null 2>&1 &
	page_pid=$!
	test_when_finished "kill $page_pid; wait $page_pid 2>/dev/null; true"
	test_wait_for test -s "$TRASH_DIRECTORY/page-url"
}

# flower_heard <run> <role> prints what reached the sessions of a role from outside,
# a line each: said or result, a tab, the line. Needs GO.
flower_heard () {
	test -x "$test_state/heard" || test_go_build "$test_state/heard" ./t/heard || return 1
	flower_named="^session: .* by the $2\$"
	test "$2" != worker || flower_named="^session: [a-z]*-[0-9]*: "
	flower_sessions=$(git log --format="%(trailers:key=Flower-Session,valueonly)" --grep "$flower_named" "flower/run/$1"
		test "$2" != judge || git log --format="%(trailers:key=Flower-Session,valueonly)" --grep "^verdict: " "flower/run/$1")
	test -n "$flower_sessions" || { echo >&2 "no session of a $2"; return 1; }
	"$test_state/heard" "$(flower_common)/flower/session.db" $(echo "$flower_sessions" | sort -u)
}

# flower_report is a worker's last turn.
flower_report () {
	cat <<-\END
	- say: |
	    ## Conclusion
	    The work is done.

	    ## Evidence
	    - the check

	    ## Output
	    - files

	    ## Unverified
	    None.
	END
}

# flower_play <request> plays ../script.yaml to its end; the exit code is
# flower_code, the output as with flower_start.
flower_play () {
	flower_code=0
	git flower start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 "$@" \
		</dev/null >"$TRASH_DIRECTORY/start.out" 2>"$TRASH_DIRECTORY/start.err" || flower_code=$?
}

# TEST_HARNESS=claude has the sessions of any script in the Claude Code CLI.
if test "$TEST_HARNESS" = claude
then
	. "$TEST_DIRECTORY/lib-claude.sh"
fi
