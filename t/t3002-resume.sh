#!/bin/sh

test_description='going on with a run'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

test_expect_success 'nothing to resume' '
	git init none && test_commit -C none first && cd none &&
	test_must_fail code=1 git flower resume 2>../err &&
	grep "no runs" ../err &&
	test_must_fail code=128 git flower resume nosuch 2>../err
'

test_expect_success 'a run that has ended has nothing left to do' '
	git init repo && test_commit -C repo first && cd repo &&
	flower_start --name one "first" &&
	tip=$(git rev-parse flower/run/one) &&
	git flower resume one >../out </dev/null &&
	test "$tip" = "$(git rev-parse flower/run/one)"
'

test_expect_success 'words begin a new round with a goal that names them' '
	cd repo &&
	: the script of the rehearsal has no further turns &&
	test_expect_code 128 git flower resume one -m "and once more" --timeout 0 >../out </dev/null &&
	flower_kinds one >../kinds &&
	test "$(flower_count amendment one)" = 1 &&
	test "$(flower_count goal one)" = 2 &&
	amendment=$(git ls-tree -r --name-only flower/run/one amendments) &&
	git log -1 --format="%(trailers:key=Flower-From,valueonly)" --grep "^goal:" flower/run/one | grep "$amendment"
'

test_expect_success 'two candidates are named, none is chosen' '
	cd repo &&
	flower_script false <<-END &&
	$(flower_report)
	END
	for name in two three
	do
		flower_play --new --name $name --budget 0.001 x &&
		test "$flower_code" = 3 || return 1
	done &&
	test_must_fail code=2 git flower resume 2>../err &&
	grep two ../err && grep three ../err
'

test_expect_success 'a larger budget goes on where the money ended' '
	cd repo &&
	test_expect_code 1 git flower resume two --budget 5 --rounds 1 >../out </dev/null &&
	test "$(flower_count end two)" = 1
'

test_expect_success 'options of start hold on' '
	cd repo &&
	test_must_fail code=3 git flower resume three </dev/null 2>../err &&
	grep "budget" ../err
'

test_expect_success 'a run that a living process drives is refused, by name' '
	cd repo &&
	flower_script true <<-END &&
	- call: {tool: Bash, input: {command: "touch '"'"'$TRASH_DIRECTORY/running'"'"'; while test ! -e '"'"'$TRASH_DIRECTORY/go'"'"'; do sleep 0.05; done", description: wait}}
	$(flower_report)
	END
	flower_background start --new --name live --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 x &&
	test_wait_for test -e ../running &&
	test_must_fail code=128 git flower resume live 2>../err &&
	grep "$flower_pid" ../err &&
	git flower status live >../out && grep "$flower_pid" ../out &&
	: >../go &&
	flower_wait && test "$flower_code" = 0
'

test_expect_success 'a run that a killed process drove is taken over' '
	cd repo && rm -f ../running ../go &&
	flower_background start --new --name dead --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 x &&
	test_wait_for test -e ../running &&
	flower_kill && test "$flower_lived" = 0 &&
	: >../go &&
	git flower resume dead >../out </dev/null &&
	test "$(flower_count end dead)" = 1 &&
	test "$(flower_count report dead)" = 1
'

test_expect_success 'a record of a newer format stops it, and nothing is written' '
	cd repo &&
	tip=$(git rev-parse flower/run/dead) &&
	git cat-file commit $tip | sed "s/^Flower-Format: 1/Flower-Format: 2/; s/^tree .*/&/" >../commit &&
	newer=$(sed "s/^parent .*/parent $tip/" ../commit | git hash-object -t commit -w --stdin) &&
	git update-ref refs/flower/run/newer $newer &&
	test_must_fail code=128 git flower resume newer 2>../err &&
	grep -i "format" ../err &&
	test "$newer" = "$(git rev-parse refs/flower/run/newer)" &&
	git flower status >../out && grep dead ../out &&
	git update-ref -d refs/flower/run/newer
'

test_expect_success 'a corrupt record is named, the other runs are shown' '
	cd repo &&
	tip=$(git rev-parse flower/run/dead) &&
	bad=$(git commit-tree -p $tip -m "not a record" HEAD^{tree}) &&
	git update-ref refs/flower/run/corrupt $bad &&
	test_must_fail code=128 git flower resume corrupt 2>../err &&
	grep corrupt ../err &&
	git flower status >../out 2>&1 && grep dead ../out &&
	test_must_fail code=1 git flower fsck corrupt >../out &&
	test -s ../out &&
	git update-ref -d refs/flower/run/corrupt
'

test_expect_success 'transcripts deleted in the middle: it goes on from the records and says so' '
	cd repo && rm -f ../running ../go &&
	flower_background start --new --name lost --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 x &&
	test_wait_for test -e ../running &&
	flower_kill && : >../go &&
	rm -rf .git/flower/session.db* "$XDG_STATE_HOME"/git-flower/*/tree &&
	git flower resume lost --rehearse="$TRASH_DIRECTORY/script.yaml" >../out </dev/null &&
	flower_kinds lost | grep notice &&
	test "$(flower_count end lost)" = 1
'

test_expect_success '--clarify-again: another brief, once, and the goal follows' '
	flower_script "test -f made" <<-END &&
	- call: {tool: Bash, input: {command: "echo more >>made", description: make}}
	$(flower_report)
	END
	git init again && test_commit -C again first && cd again &&
	flower_play --name again "write something" && test "$flower_code" = 0 &&
	git flower resume again --clarify-again </dev/null >../out 2>../err &&
	test "$(flower_count brief again)" = 2 && test "$(flower_count goal again)" = 2 &&
	git flower resume again </dev/null >../out &&
	test "$(flower_count brief again)" = 2 &&
	git -c flower.clarifyAgain=true flower resume again </dev/null >../out &&
	test "$(flower_count brief again)" = 2 &&
	git -c flower.clarifyAgain=true flower resume again -m "and more" </dev/null >../out &&
	test "$(flower_count brief again)" = 3
'

test_done
