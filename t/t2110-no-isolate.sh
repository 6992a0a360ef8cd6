#!/bin/sh

test_description='workers that edit the checkout itself

With --no-isolate files of the checkout change and nothing else of it does: branch,
HEAD, index, stashes, configuration stay the user'"'"'s. Changes from before, from
between and from beside are in the result, each told from the others; a run that is
killed goes on in place; its result lands without a file being touched.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

# users is what is the user's of a checkout besides its files.
users () {
	git for-each-ref --format='%(refname) %(objectname)' refs/heads refs/tags refs/stash &&
	cat .git/HEAD .git/config &&
	cksum <.git/index &&
	ls .git/hooks .git/info 2>/dev/null
}

# script <tasks> makes ../script.yaml: so many workers in one call. Each runs
# ../command with its part and step, twice, then reports.
script () {
	flower_report | sed -n "s/^- say/say/;s/^/      /p" >../report &&
	cat >../turns <<-END &&
	- when:
	    - if: {any: "done-2"}
	$(cat ../report)
	    - if: {any: "done-1"}
	      call: {tool: Bash, input: {command: "part={{.cap.part}} step=2 outside=\"$TRASH_DIRECTORY\"; . \"\$outside/command\""}}
	    - if: {any: "."}
	      call: {tool: Bash, input: {command: "part={{.cap.part}} step=1 outside=\"$TRASH_DIRECTORY\"; . \"\$outside/command\""}}
	END
	flower_script "test -f part.1.2" <../turns &&
	tasks= && for n in $(seq "$1")
	do
		tasks="$tasks${tasks:+, }{worker: coder, task: part $n}"
	done &&
	sed -e "s/tasks: \[{worker: coder, task: Do it.}\]/tasks: [$tasks]/" \
		-e "/Role: worker/a\\    what: {first: \"part (?P<part>[1-9])\"}\\n    repeat: true" ../script.yaml >../script.new &&
	mv ../script.new ../script.yaml
}

# command_is <command>: what each step does besides writing its file.
command_is () {
	cat >../command <<-END
	echo "\$part" >"part.\$part.\$step"
	$1
	echo "done-\$step"
	END
}

play () {
	flower_play "$@" "do it" && cat ../start.err >&2 && test "$flower_code" = 0
}

test_expect_success 'setup' '
	test_commit base &&
	test_commit other &&
	echo stashed >>base.t && git stash -q &&
	echo ignored >.gitignore && git add .gitignore && git commit -q -m ignore &&
	git branch start &&
	script 2 && command_is :
'

test_expect_success 'files change in the checkout and nothing else of the user does' '
	echo mine >>base.t && git add base.t && echo new >new && echo i >ignored &&
	users >../before &&
	play --no-isolate --name first &&
	users >../after &&
	test_cmp ../before ../after &&
	test_grep "workers edit the files of $(pwd) itself, one worker at a time (option .--no-isolate.)" ../start.out &&
	test_grep "with the uncommitted changes of 2 files" ../start.out &&
	for n in 1 2
	do
		test "$(cat part.$n.1)" = $n && test "$(cat part.$n.2)" = $n || return 1
	done &&
	test "$(cat ignored)" = i &&
	git rev-parse "flower/base/first^" HEAD >../heads && test "$(sort -u ../heads | wc -l)" = 1 &&
	git diff --name-only flower/base/first flower/join/first >actual &&
	printf "part.%s\n" 1.1 1.2 2.1 2.2 >expect && test_cmp expect actual && rm actual expect &&
	test "$(flower_kinds first | grep -c report)" = 2 &&
	test "$(git rev-list --count flower/base/first..flower/join/first)" = 2
'

test_expect_success 'each worker is told only of what is its own' '
	git log --reverse --format=%H flower/base/first..flower/join/first >../commits &&
	git show --format= --name-only $(head -1 ../commits) >actual &&
	printf "part.%s\n" 1.1 1.2 >expect && test_cmp expect actual && rm actual expect
'

test_expect_success 'the result lands with the branch alone moving' '
	cksum part.* base.t new >../before &&
	git flower land --rehearsed first >../out &&
	test_grep "the checkout held it already" ../out &&
	cksum part.* base.t new >../after && test_cmp ../before ../after &&
	test "$(git rev-parse HEAD)" = "$(git rev-parse flower/join/first)" &&
	git status --porcelain >../status && test_must_be_empty ../status &&
	git stash list >../stashes && test_line_count = 1 ../stashes
'

test_expect_success 'a checkout that is not the result does not land' '
	git reset -q --hard start && git clean -q -f -d &&
	play --no-isolate --name squash &&
	echo since >>part.1.1 && users >../before &&
	test_must_fail code=128 git flower land --rehearsed squash 2>../err &&
	test_grep "^hint: " ../err &&
	users >../after && test_cmp ../before ../after &&
	test "$(cat part.1.1)" = "1
since"
'

test_expect_success '--squash and --no-ff land too' '
	echo 1 >part.1.1 &&
	git flower land --rehearsed --squash squash &&
	test "$(git rev-list --count start..HEAD)" = 1 &&
	git diff --quiet HEAD flower/join/squash &&
	git status --porcelain >../status && test_must_be_empty ../status &&
	git reset -q --hard start &&
	play --no-isolate --name noff &&
	git flower land --rehearsed --no-ff noff &&
	test "$(git rev-parse HEAD^2)" = "$(git rev-parse flower/join/noff)" &&
	git status --porcelain >../status && test_must_be_empty ../status
'

test_expect_success 'a reached goal lands at once with --land' '
	git reset -q --hard start && git clean -q -f -d &&
	flower_play --no-isolate --land --name atonce "do it" && test_grep "rehearsal is not landed" ../start.err
'

test_expect_success 'what is edited between two workers is a commit of its own' '
	git reset -q --hard start && git clean -q -f -d && script 1 &&
	play --no-isolate --name beside && first=$(git rev-parse flower/join/beside) &&
	echo edit >>other.t && rm part.1.1 &&
	git flower resume -m "more of it" beside >../out 2>&1 </dev/null &&
	test_grep "(as the run began)" ../out &&
	git log --format=%s $first..flower/join/beside >actual &&
	test_grep "^Changes made in the checkout meanwhile" actual && test_line_count = 2 actual && rm actual &&
	git diff --name-only $first flower/join/beside^ >actual &&
	printf "other.t\npart.1.1\n" >expect && test_cmp expect actual && rm actual expect &&
	git log --format=%B flower/run/beside >../story &&
	test_grep "changes that no worker had reported; commit $(git rev-parse flower/join/beside^) holds them" ../story
'

test_expect_success 'a worker that commits moves the branch, which is told and not undone' '
	git reset -q --hard start && git clean -q -f -d && script 1 &&
	command_is "test \$step = 1 || { git add -A && git commit -q -m own; }" &&
	play --no-isolate --name commits &&
	test "$(git log -1 --format=%s)" = own &&
	git log --format=%B flower/run/commits >../story &&
	test_grep "moved on from $(git rev-parse start) to $(git rev-parse HEAD)" ../story &&
	git merge-base --is-ancestor HEAD flower/join/commits &&
	git diff --quiet HEAD flower/join/commits &&
	git flower land --rehearsed commits >../out &&
	git status --porcelain >../status && test_must_be_empty ../status
'

test_expect_success 'the key says the same, the banner where it stands' '
	git reset -q --hard start && command_is : &&
	git -c flower.isolate=false flower start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name key "do it" </dev/null >../out &&
	test_grep "flower.isolate in command line" ../out &&
	test -f part.1.2 && git clean -q -f &&
	git -c flower.isolate=false flower start --isolate --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name option "do it" </dev/null >../out &&
	test_path_missing part.1.2 &&
	GIT_FLOWER_ISOLATE=no git flower start --json --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name env "do it" </dev/null >../out 2>../err &&
	test_grep "^warning: workers edit the files of .* itself.*GIT_FLOWER_ISOLATE" ../err &&
	test -f part.1.2 && git clean -q -f
'

test_expect_success 'a bare repository and the middle of a merge are refused before anything is written' '
	git clone -q --bare . ../bare.git &&
	git for-each-ref >../before &&
	test_must_fail code=128 git -C ../bare.git flower start --rehearse --no-isolate "do it" </dev/null 2>../err &&
	test_grep "no checkout" ../err && test_grep "^hint: .*--isolate" ../err &&
	git checkout -q -b side && echo s >base.t && git commit -q -a -m s &&
	git checkout -q main && echo m >base.t && git commit -q -a -m m &&
	test_must_fail git merge side &&
	test_must_fail code=128 git flower start --rehearse --no-isolate "do it" </dev/null 2>../err &&
	test_grep "merge is in progress" ../err && test_grep "^hint: " ../err &&
	git merge --abort && git branch -q -D side && git reset -q --hard start &&
	git for-each-ref >../after && test_cmp ../before ../after
'

# hold: the first command of the first worker waits.
hold () {
	rm -rf ../held && rm -f ../never && mkfifo ../never &&
	cat >../command <<-\END
	echo "$part" >"part.$part.$step"
	if test "$part.$step" = 1.2 && mkdir "$outside/held" 2>/dev/null
	then
		echo $$ >"$outside/held/pid"
		read -r forever <"$outside/never"
	fi
	echo "done-$step"
	END
}

# end_held ends it, if nothing else has.
end_held () {
	kill -9 "$(cat "$TRASH_DIRECTORY/held/pid")" 2>/dev/null || :
}

begin_held () {
	hold &&
	flower_background start --no-isolate --name "$1" --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 "do it" &&
	test_wait_for test -s ../held/pid
}

test_expect_success 'while a run works in the checkout no other does, and nothing lands there' '
	script 2 && begin_held held &&
	git flower status held >../out && test_grep "tree: *coder-1, in the checkout itself: $(pwd)" ../out &&
	git flower status --porcelain held >../out && test_grep "^tree coder-1 checkout $(pwd)" ../out &&
	flower_runs >../before &&
	test_must_fail code=128 git flower start --rehearse --no-isolate "do it" </dev/null 2>../err &&
	test_grep "another run works in the checkout" ../err && test_grep "^hint: " ../err &&
	flower_runs >../after && test_cmp ../before ../after &&
	test_must_fail code=128 git flower land --rehearsed key 2>../err &&
	test_grep "another run works in the checkout" ../err &&
	git worktree add -q ../linked start &&
	git -C ../linked flower start --rehearse --no-isolate --name linked "do it" </dev/null >../out &&
	git flower status linked >../out && test_grep "tree: *the checkout itself: $(cd ../linked && pwd)" ../out &&
	git flower status --json linked >../out && test_grep "\"state\":\"checkout\"" ../out &&
	flower_kill && test "$flower_lived" = 0
'

test_expect_success 'a killed run is refused elsewhere and on another branch, and goes on in place' '
	test_when_finished end_held &&
	test_must_fail code=128 git -C ../linked flower resume held 2>../err </dev/null &&
	test_grep "works in another checkout" ../err && test_grep "^hint: " ../err &&
	git stash list >../stashes &&
	git checkout -q --orphan unrelated && git commit -q --allow-empty -m u &&
	test_must_fail code=128 git flower resume held 2>../err </dev/null &&
	test_grep "is checked out now" ../err && test_grep "^hint: .*git switch" ../err &&
	git symbolic-ref HEAD refs/heads/main && git reset -q &&
	echo user >users &&
	git flower resume held >../out </dev/null &&
	test_must_fail grep -q "^State:[[:space:]]*[^ZX[:space:]]" "/proc/$(cat ../held/pid)/status" &&
	test_grep "workers edit the files of .* itself" ../out &&
	test "$(git show flower/join/held:users)" = user &&
	test "$(cat part.2.2)" = 2 &&
	git worktree remove --force ../linked
'

test_expect_success 'killed at events spread over it, the end is the same' '
	git reset -q --hard start && git clean -q -f -d && command_is : && script 3 &&
	cd .. && cp -R repo whole && cd whole &&
	git-flower start --no-isolate --name run --rehearse=../script.yaml --timeout 0 "do it" </dev/null >../out &&
	flower_canonical run >../expect.history && git rev-parse flower/join/run^{tree} >../expect.tree &&
	total=$(wc -l <.git/flower/run/run/events) && cd ../repo && : >../hits &&
	kills=${TEST_LONG:+20} && kills=${kills:-3} &&
	test_pick $kills $((total - 2)) >../events &&
	for n in $(cat ../events)
	do
		rm -rf ../at && cp -R . ../at && cd ../at &&
		flower_kill_at $n start --no-isolate --name run --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 "do it" &&
		if test $flower_lived = 0; then echo hit >>../hits; fi &&
		if git rev-parse -q --verify refs/flower/run/run >/dev/null
		then
			git flower resume run >../at.out 2>&1 </dev/null
		else
			git flower start --no-isolate --name run --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 "do it" >../at.out 2>&1 </dev/null
		fi &&
		flower_canonical run >../actual.history && git rev-parse flower/join/run^{tree} >../actual.tree &&
		cd ../repo &&
		test_cmp ../expect.history ../actual.history && test_cmp ../expect.tree ../actual.tree || {
			cat ../at.out
			return 1
		}
	done &&
	test "$(wc -l <../hits)" -ge $((kills - 1))
'

test_expect_success 'on another machine the run goes on in trees of its own' '
	test_when_finished end_held &&
	begin_held away && flower_kill && test "$flower_lived" = 0 &&
	rm -rf ../elsewhere && git init -q ../elsewhere &&
	git push -q ../elsewhere "refs/flower/*:refs/flower/*" start &&
	cd ../elsewhere && git checkout -q start &&
	XDG_STATE_HOME=$TRASH_DIRECTORY/state2 git flower resume --rehearse="$TRASH_DIRECTORY/script.yaml" --trust "$(git log -1 --format=%H --grep="^goal: " flower/run/away)" away >../out 2>../err </dev/null &&
	test_grep "its workers get trees of their own" ../err &&
	test_path_missing part.1.1 &&
	git rev-parse -q --verify flower/join/away:part.2.2 &&
	cd ../repo
'

test_done
