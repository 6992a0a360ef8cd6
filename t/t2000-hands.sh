#!/bin/sh

test_description='several workers at once'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# four writes a script: four tasks in one call; each worker waits until all four
# are at work, then does what stands in commands for it.
four () {
	cat >turns <<-END
	- call:
	    tool: Bash
	    input:
	      description: do it
	      command: |
	        part=\$(basename "\$(pwd)"); n={{.cap.n}}
	        : >"$TRASH_DIRECTORY/at-work.\$n"
	        until test "\$(ls "$TRASH_DIRECTORY" | grep -c "^at-work")" -ge 4; do sleep 0.02; done
	        . "$TRASH_DIRECTORY/commands"
	$(flower_report)
	END
	rm -f at-work.* &&
	flower_script "$1" <turns &&
	sed -e 's/tasks: \[{worker: coder, task: Do it.}\]/tasks: [{worker: coder, task: part 1}, {worker: coder, task: part 2}, {worker: coder, task: part 3}, {worker: coder, task: part 4}]/' \
		-e 's/Role: worker.\*own at/Role: worker.*Worker: coder-(?P<n>[0-9]+).*own at/' script.yaml >four.yaml &&
	mv four.yaml script.yaml
}

test_expect_success 'setup' '
	test_commit -C repo first
'

test_expect_success 'four workers are at work together, and all is joined' '
	echo "echo \$n >part.\$n" >commands &&
	four "test -f part.1 && test -f part.2 && test -f part.3 && test -f part.4" &&
	(
		cd repo &&
		flower_play --name four "four parts" && test "$flower_code" = 0 &&
		test "$(flower_count report four)" = 4 &&
		git ls-tree --name-only flower/join/four >../files
	) &&
	test "$(grep -c "^part" files)" = 4
'

test_expect_success 'the reports stand in the order of the tasks' '
	git -C repo log --reverse --format="%(trailers:key=Flower-Worker,valueonly)" --grep "^report:" flower/run/four >order &&
	grep . order >actual && printf "coder-%s\n" 1 2 3 4 >expect && test_cmp expect actual
'

test_expect_success 'two change the same line: the second conflicts, its commit is kept and told' '
	echo "case \$n in 2|3) echo \$n >>first.t ;; *) echo \$n >part.\$n ;; esac" >commands &&
	four "test -f part.1 && test -f part.4" &&
	(
		cd repo &&
		flower_play --new --name clash "four parts" && test "$flower_code" = 0 &&
		git rev-parse --verify refs/flower/work/clash/coder-3 &&
		git show flower/run/clash:brief.md &&
		git log --format=%B --grep "^report: coder-3" flower/run/clash >../report
	) &&
	grep "first.t" report && grep "git merge" report
'

test_expect_success '--jobs 1: one after the other' '
	rm -f at-work.* && : >at-work.a && : >at-work.b && : >at-work.c &&
	echo "echo \$n >part.\$n; test \"\$(ls \"$TRASH_DIRECTORY\" | grep -c ^now)\" = 0; : >\"$TRASH_DIRECTORY/now.\$n\"; rm \"$TRASH_DIRECTORY/now.\$n\"" >commands &&
	(
		cd repo &&
		flower_play --new --name alone --jobs 1 "four parts" && test "$flower_code" = 0
	)
'

test_expect_success 'SIGTERM with four at work: all keep what they did, and go on' '
	echo "echo \$n >part.\$n; while test ! -e \"$TRASH_DIRECTORY/go\"; do sleep 0.02; done" >commands &&
	four "test -f part.1 && test -f part.2 && test -f part.3 && test -f part.4" &&
	(
		cd repo &&
		flower_background start --new --name cut --rehearse=../script.yaml --timeout 0 "four parts" &&
		test_wait_for test -e ../at-work.1 && test_wait_for test -e ../at-work.2 &&
		test_wait_for test -e ../at-work.3 && test_wait_for test -e ../at-work.4 &&
		kill -TERM $flower_pid && flower_wait && test "$flower_code" = 143 &&
		: >../go &&
		git flower resume cut </dev/null >../out &&
		test "$(flower_count report cut)" = 4 &&
		git ls-tree --name-only flower/join/cut >../files
	) &&
	test "$(grep -c "^part" files)" = 4
'

test_done
