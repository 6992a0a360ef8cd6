#!/bin/sh

test_description='a run goes on in the background, without a terminal'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'setup: a worker that waits' '
	test_commit -C repo first &&
	flower_waiting_script
'

# detached <name> <option>...: begins one and waits until its worker waits; pid is
# its driver.
detached () {
	rm -f ../go ../begun
	flower_name=$1
	shift
	git flower start --new --detach --name "$flower_name" --rehearse=../script.yaml "$@" "do it" </dev/null >../out 2>../err &&
	test_wait_for test -e ../begun &&
	driver "$flower_name" >../pid &&
	pid=$(cat ../pid)
}

# driver <name> prints the process that drives a run.
driver () {
	git flower status --porcelain "$1" | sed -n "s/^driver //p"
}

# over <name>: the background has told how it ended.
over () {
	git flower status --porcelain "$1" | grep -q "^background-exit"
}

# exited <name> <code>: it ended with that code.
exited () {
	test_wait_for over "$1" &&
	git flower status --porcelain "$1" >../status &&
	grep -x "background-exit $2" ../status
}

# watching <option>...: what watch shows goes to ../watched; its process is watcher.
watching () {
	git-flower watch "$@" >../watched 2>../watched.err </dev/null &
	watcher=$!
}

test_expect_success 'it returns while the run goes on, and says how to reach it' '
	cd repo &&
	detached one --timeout 0 &&
	test_must_be_empty ../err &&
	grep "^process $pid drives run one in the background" ../out &&
	for command in watch status say stop
	do
		grep "git flower $command.* one" ../out || return 1
	done &&
	git flower status one >../status && grep "process $pid in the background" ../status &&
	test_must_fail code=128 git flower resume one 2>../err && grep "$pid" ../err
'

test_expect_success 'watch follows it to its end, say reaches it' '
	cd repo &&
	git flower say --run one "and be quick" >../said && grep "process $pid drives it" ../said &&
	watching --all one &&
	test_wait_for grep -q "be quick" ../watched &&
	: >../go &&
	wait "$watcher" &&
	exited one 0 &&
	test "$(flower_count end one)" = 1 &&
	git flower status one >../status && grep "process $pid ended with exit 0" ../status
'

test_expect_success 'its output is in the log' '
	cd repo &&
	grep "reached" .git/flower/run/one/log &&
	grep "$PWD/.git/flower/run/one/log" ../out
'

test_expect_success 'stop has it stop at a save point; how it ended is to be found' '
	cd repo &&
	detached two --timeout 0 &&
	git flower stop two >../out && grep "process $pid has stopped" ../out &&
	exited two 143 &&
	git flower status two >../status && grep "process $pid ended with exit 143" ../status &&
	git flower status --json two >../status && grep "\"background\":{\"pid\":$pid,.*\"code\":143" ../status
'

test_expect_success 'resume --detach goes on; resume in the foreground as well' '
	cd repo &&
	git flower resume --detach two </dev/null >../out && pid=$(driver two) &&
	grep "^process $pid " ../out &&
	git flower stop two &&
	: >../go &&
	git flower resume two </dev/null >../out &&
	test "$(flower_count end two)" = 1 && test "$(flower_count report two)" = 1 &&
	git flower status --porcelain two >../status && test_expect_code 1 grep background ../status
'

test_expect_success 'options of resume reach the background' '
	cd repo &&
	rm -f ../go ../begun &&
	git flower start --new --detach --name poor --rehearse=../script.yaml --timeout 0 --budget 0.001 "do it" >../out </dev/null &&
	exited poor 3 &&
	git flower status poor >../status && grep "exit 3.*budget" ../status &&
	: >../go &&
	(
		mkdir -p sub && cd sub &&
		git flower resume --detach --budget 5 --rehearse=../../script.yaml --no-land poor >../../out </dev/null
	) &&
	exited poor 0 &&
	test "$(flower_count end poor)" = 1
'

test_lazy_prereq SETSID 'command -v setsid'

test_expect_success SETSID 'it survives the end of its parent and of its terminal' '
	cd repo &&
	rm -f ../go ../begun &&
	cat >../session.sh <<-END &&
	git flower start --new --detach --name alone --rehearse=../script.yaml --timeout 0 x </dev/null >../out 2>&1
	touch ../returned
	exec sleep 1000
	END
	rm -f ../returned &&
	{ setsid sh ../session.sh & leader=$!; } &&
	test_wait_for test -e ../returned &&
	test_wait_for test -e ../begun &&
	pid=$(driver alone) &&
	kill -KILL "-$leader" &&
	test_expect_code 137 wait "$leader" &&
	kill -0 "$pid" &&
	: >../go &&
	exited alone 0
'

test_expect_success 'killed, it says nothing; status says so and resume takes it over' '
	cd repo &&
	detached killed --timeout 0 &&
	kill -9 "$pid" && test_wait_for test_process_gone "$pid" &&
	git flower status killed >../status && grep "process $pid.*gone without a word" ../status &&
	: >../go &&
	git flower resume killed </dev/null >../out &&
	test "$(flower_count end killed)" = 1
'

test_expect_success HANGUP 'a hang-up asks it to stop at a save point' '
	cd repo &&
	detached hung --timeout 0 &&
	kill -HUP "$pid" && exited hung 129 &&
	: >../go
'

test_expect_success 'questions wait for an answer from elsewhere' '
	cd repo &&
	git flower start --new --detach --name asks --rehearse "write something" >../out </dev/null &&
	grep "git flower answer --run asks" ../out &&
	test_wait_for git flower answer --run asks >../list 2>../err &&
	git flower answer --run asks 1 >../said && grep "drives it" ../said &&
	exited asks 0
'

test_expect_success 'with --timeout 0 nobody is asked' '
	cd repo &&
	git flower start --new --detach --name quiet --rehearse --timeout 0 "write something" >../out </dev/null &&
	exited quiet 0 &&
	test_expect_code 1 grep "git flower answer" ../out
'

test_expect_success '--json: one object' '
	cd repo &&
	git flower start --new --detach --name object --rehearse --timeout 0 --json x >../out </dev/null &&
	test_line_count = 1 ../out &&
	grep "^{.*\"driver_pid\":[0-9].*\"name\":\"object\"}\$" ../out &&
	exited object 0
'

test_expect_success 'flower.detach; the driver itself does not detach again' '
	cd repo &&
	GIT_FLOWER_DETACH=true git flower start --new --name set --rehearse --timeout 0 x >../out </dev/null &&
	grep "in the background" ../out &&
	exited set 0
'

test_expect_success 'what is wrong is said in the foreground, and nothing is recorded' '
	cd repo &&
	flower_runs >../before &&
	test_must_fail code=128 git flower start --new --detach --name keyless x </dev/null 2>../err &&
	grep "^hint: " ../err &&
	test_must_fail code=128 git flower start --new --detach --name one --rehearse x </dev/null 2>../err &&
	test_must_fail code=128 git flower start --new --detach --name none --rehearse=../nosuch x </dev/null 2>../err &&
	flower_runs >../after && test_cmp ../before ../after
'

test_expect_success 'a driver that cannot begin: the reason, its exit code, and the run is kept' '
	cd repo &&
	test_must_fail code=128 git flower start --new --detach --name late --rehearse=../script.yaml --instructions ../nosuch x </dev/null 2>../err &&
	grep "does not go on in the background: process [0-9]* ended with exit 128: .*nosuch" ../err &&
	grep "^hint: " ../err &&
	test "$(flower_count request late)" = 1
'

test_expect_success 'a run that another process drives is refused with its number' '
	cd repo &&
	detached busy --timeout 0 &&
	test_must_fail code=128 git flower resume --detach busy </dev/null 2>../err &&
	grep "process $pid" ../err &&
	: >../go &&
	exited busy 0
'

test_expect_success 'the log keeps its newest part' '
	cd repo &&
	detached long --timeout 0 && git flower stop long &&
	seq 300000 >.git/flower/run/long/log &&
	git flower resume --detach long </dev/null >../out && : >../go &&
	exited long 0 &&
	test "$(wc -c <.git/flower/run/long/log)" -lt 1048577 &&
	grep -x 300000 .git/flower/run/long/log && grep reached .git/flower/run/long/log &&
	test_expect_code 1 grep -x 17 .git/flower/run/long/log
'

test_expect_success 'the variable of the background, set by hand, is refused' '
	cd repo &&
	test_must_fail code=128 env GIT_FLOWER_BACKGROUND=3 git flower status 2>../err 3>/dev/null &&
	grep GIT_FLOWER_BACKGROUND ../err
'

test_expect_success GO 'a real run: the key is in no argument and in no file' '
	flower_endpoint sk-ant-test-key-0123456789 &&
	(
		cd repo && rm -f ../go ../begun &&
		ANTHROPIC_API_KEY=sk-ant-test-key-0123456789 ANTHROPIC_BASE_URL=$(cat ../url) &&
		export ANTHROPIC_API_KEY ANTHROPIC_BASE_URL &&
		GIT_TRACE_FLOWER=1 git flower start --new --detach --name real --timeout 0 "do it" </dev/null >../out 2>../err &&
		test_wait_for test -e ../begun &&
		ps -o args= -p "$(driver real)" >../args && grep "resume" ../args &&
		: >../go &&
		exited real 0
	) &&
	test_expect_code 1 grep -r -a "sk-ant-test-key" args out err repo/.git/flower "$XDG_STATE_HOME"
'

test_done
