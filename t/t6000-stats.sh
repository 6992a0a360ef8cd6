#!/bin/sh

test_description='what a run cost and what its contexts held

The figures of this run are counted by hand.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

# figure <line> <column>: a figure of the table in ../stats.
figure () {
	awk -v line="$1" -v column="$2" '
		!head && $1 == "requests" {for (i = 1; i <= NF; i++) at[$i] = i + 1; head = 1}
		$1 == line {print $at[column]; exit}' ../stats
}

# The worker writes a script, runs it three times in two commands, is refused a
# file outside, and makes a result of 5,000 characters: five calls and a report.
# The coordinator makes two turns, the others one each.
test_expect_success 'setup' '
	test_commit first &&
	flower_script "test -f done" <<-END &&
	- call: {tool: Write, input: {file_path: "{{.cap.bench}}/scripts/make.sh", content: "# desc: makes it\ntouch done\n"}}
	- call: {tool: Bash, input: {command: "B=\"{{.cap.bench}}\"; sh \"\$B\"/scripts/make.sh && sh \"\$B/scripts/make.sh\""}}
	- call: {tool: Write, input: {file_path: "/etc/flower", content: "no"}}
	- call: {tool: Bash, input: {command: "sh \"{{.cap.bench}}/scripts/make.sh\"; head -c 5000 /dev/zero | tr \"\\\\0\" x"}}
	$(flower_report)
	END
	sed "s/own at (?P<dir>.+), at the result so far\"/own at (?P<dir>.+), at the result so far.*The bench at (?P<bench>[^ ]+(?: [^ ]+)*?) is shared\"/" ../script.yaml >../with-bench &&
	mv ../with-bench ../script.yaml &&
	flower_play --name odd "do it" && test "$flower_code" = 0
'

test_expect_success 'turns are answers of the model' '
	git flower stats >../stats &&
	test "$(figure coordinator turns)" = 2 && test "$(figure worker turns)" = 5 &&
	test "$(figure clarifier turns)" = 1 && test "$(figure total requests)" = "$(figure total turns)"
'

test_expect_success 'calls, refusals, spills and scripts' '
	test "$(figure worker calls)" = 4 && test "$(figure coordinator calls)" = 1 &&
	test_grep "calls: *1 of 7 refused; 0 glances" ../stats &&
	test_grep "spills: *1, 5.0K characters" ../stats &&
	test_grep "scripts: *1, 1 writing, 3 runs; 1 run more than once, 0 never" ../stats &&
	test_grep "unseen: *4.0 calls" ../stats
'

test_expect_success 'the workers part of turns: five of seven' '
	test_grep "71.4% of the turns, 71.4% of the requests" ../stats
'

test_expect_success 'JSON is one object with the same figures' '
	git flower stats --json odd >../json && test_line_count = 1 ../json &&
	test_grep "\"kept_out_turns\":0.714285" ../json &&
	test_grep "\"scripts\":{\"each\":\[{\"name\":\"make.sh\",\"written\":1,\"runs\":3}\]" ../json &&
	test_grep "\"missing_transcripts\":\[\]" ../json
'

test_expect_success 'a picture that needs nothing else' '
	git flower stats --svg ../curve.svg odd >/dev/null &&
	test_grep "<polyline" ../curve.svg && test_must_fail grep -e "<script" -e "href" ../curve.svg
'

test_expect_success 'a clone without the transcripts tells what it cannot tell' '
	git clone -q --no-local . ../clone && cd ../clone &&
	git fetch -q origin "refs/flower/*:refs/flower/*" &&
	git flower stats odd >../stats && cd ../repo &&
	test "$(figure worker requests)" = 5 && test "$(figure worker turns)" = - && test "$(figure worker chars)" = - &&
	test_grep "transcripts of 5 sessions" ../stats && test_grep "71.4% of the requests" ../stats &&
	test ! -e ../clone/.git/flower/session.db
'

test_expect_success 'a run at work, and one that was killed, is counted up to its newest request' '
	flower_waiting_script && test_when_finished ": >../go" &&
	flower_background start --new --name killed --rehearse=../script.yaml --timeout 0 "do it" &&
	test_wait_for test -e ../begun &&
	git flower stats killed >../stats &&
	test "$(figure worker requests)" = 1 && test "$(figure total requests)" = 4 &&
	flower_kill && git flower stats --json killed >../json &&
	test_grep "\"unrecorded\":{\"requests\":1," ../json &&
	git flower stats killed >../stats && test "$(figure worker turns)" = 1 && test_grep "In no record yet.*: 1 request" ../stats &&
	: >../go && git flower resume killed </dev/null >../out 2>&1 &&
	git flower stats --json killed >../json && test_grep "\"unrecorded\":{\"requests\":0," ../json &&
	git flower stats killed >../stats && test "$(figure total requests)" = "$(figure total turns)"
'

test_done
