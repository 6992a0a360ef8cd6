#!/bin/sh

test_description='a worker that is killed leaves its dirty tree behind for others

The run dies by SIGKILL while the worker is in the middle of something. Plain
push and fetch bring its refs to another clone, where its tree must be as it was,
and what is not in it must be said.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

# a worker that makes a mess, writes a file with a tool, and is in the middle of a
# command when it is killed; it goes on when ../go is there and tells then, in
# ../seen, what its tree is like.
messy_script () {
	cat >tell <<-\END &&
	git status --porcelain -uall
	git ls-files -s -o -m -t >/dev/null
	for f in kept.t lib/first.t nested/n link tool run.sh two; do test -e $f -o -h $f && ls -l $f | cut -c1-10 && cat $f; done
	git rev-parse -q --verify MERGE_HEAD HEAD
	END
	flower_script "test -f tool && test -f two && test ! -f gone.t" <<-END
	- call: {tool: Bash, input: {command: "test -e made-here || test -e tool || . '$TRASH_DIRECTORY/mess'", description: make a mess}}
	- call: {tool: Write, input: {file_path: tool, content: "by a tool\n"}}
	- call: {tool: Bash, input: {command: "sh '$TRASH_DIRECTORY/tell' >'$TRASH_DIRECTORY/seen' 2>&1; : >'$TRASH_DIRECTORY/running'; while test -e '$TRASH_DIRECTORY/running' && test ! -e '$TRASH_DIRECTORY/go'; do sleep 0.05; done", description: wait}}
	- call: {tool: Bash, input: {command: "echo two >two", description: write}}
	$(flower_report)
	END
}

# the worker again, elsewhere: it looks at the tree and goes on.
going_on_script () {
	flower_script "test -f tool && test -f two && test ! -f gone.t" <<-END &&
	- call: {tool: Bash, input: {command: "sh '$TRASH_DIRECTORY/tell' >'$TRASH_DIRECTORY/seen' 2>&1; echo two >two; . '$TRASH_DIRECTORY/ending'", description: go on}}
	$(flower_report)
	END
	flower_takeover &&
	mv script.yaml going-on.yaml
}

# dies <directory>: until the worker waits and its tree has been kept.
dies () {
	rm -f go running seen &&
	cd "$1" &&
	flower_background start --rehearse="$TRASH_DIRECTORY/script.yaml" --timeout 0 --name messy "a mess" &&
	test_wait_for test -e ../running &&
	test_wait_for kept_all &&
	flower_kill &&
	cd .. &&
	cp seen seen.before
}

kept_all () {
	git rev-parse -q --verify refs/flower/work/messy/coder-1:tool
}

# moves <from> <to>: plain git, by way of a bare repository.
moves () {
	git init -q --bare "hub-$2.git" &&
	git -C "$1" push -q "$TRASH_DIRECTORY/hub-$2.git" HEAD:refs/heads/main "refs/flower/*:refs/flower/*" &&
	mkdir -p "elsewhere/$2 home" &&
	git clone -q "hub-$2.git" "elsewhere/$2" &&
	git -C "elsewhere/$2" fetch -q origin "refs/flower/*:refs/flower/*"
}

# goes_on <to>: as somebody else, in the clone.
goes_on () {
	(
		cd "elsewhere/$1" &&
		XDG_STATE_HOME="$TRASH_DIRECTORY/elsewhere/$1 home" && export XDG_STATE_HOME &&
		goal=$(git log -1 --format=%H --grep "^goal: " refs/flower/run/messy) &&
		git flower resume --rehearse="$TRASH_DIRECTORY/going-on.yaml" --timeout 0 --trust "$goal" </dev/null
	) >out 2>&1 || {
		cat out
		return 1
	}
}

test_expect_success 'setup' '
	git init origin && cd origin &&
	test_commit first lib/first.t && test_commit gone gone.t && test_commit kept kept.t &&
	printf "*.log\nnode_modules/\n" >.gitignore && git add .gitignore && git commit -q -m ignore && cd .. &&
	cat >mess <<-\END &&
	echo changed >>lib/first.t; rm gone.t; ln -s kept.t link; chmod +x kept.t
	printf "#!/bin/sh\n" >run.sh; chmod +x run.sh
	git init -q nested; echo inside >nested/n
	echo secret >secret.log; mkdir node_modules; echo m >node_modules/m
	dd if=/dev/zero of=huge bs=1048576 count=11 2>/dev/null
	echo stashed >stashed; git add stashed; git stash -q -- stashed
	echo committed >committed; git add committed; git commit -q -m "of the worker"
	END
	: >ending && going_on_script && messy_script
'

test_expect_success 'killed in a command: all of its tree is there elsewhere' '
	git clone -q origin here && dies here &&
	git -C here log --format=%B -1 refs/flower/work/messy/coder-1 >message &&
	test_grep "^Not in it:" message &&
	moves here there && goes_on there &&
	sed -e "/huge$/d" -e "s,nested/$,nested/n," seen.before >expect && test_cmp expect seen &&
	test_grep "100755\|rwx" seen && test_grep "inside" seen && test_grep "^D gone.t\|^ D gone.t" seen
'

test_expect_success 'it says what was restored, and what is not in it' '
	test_grep "coder-1.*refs/flower/work/messy/coder-1" out &&
	test_grep "huge (11534336 bytes)" out &&
	test_grep "secret.log" out && test_grep "node_modules/" out && test_grep "nested/.git/" out &&
	test_grep "refs/stash" out
'

test_expect_success 'all of it is in the result, and nothing is left' '
	cd elsewhere/there &&
	git show flower/join/messy:nested/n >../../actual && echo inside >../../expect && test_cmp ../../expect ../../actual &&
	git ls-tree -r flower/join/messy >../../files && cd ../.. &&
	test_grep "^120000.*link$" files && test_grep "^100755.*run.sh$" files && test_grep "^100755.*kept.t$" files &&
	test_grep ! "gone.t" files && test_grep "committed$" files && test_grep "tool$" files &&
	git -C elsewhere/there rev-list flower/join/messy >commits &&
	git -C here rev-parse refs/flower/work/messy/coder-1 >snapshot &&
	test_grep ! -f snapshot commits &&
	test_must_fail git -C elsewhere/there rev-parse -q --verify refs/flower/work/messy/coder-1 &&
	git -C elsewhere/there push -q origin "refs/flower/*:refs/flower/*"
'

test_expect_success 'a merge in progress goes on' '
	cat >mess <<-\END &&
	git checkout -q -b other; echo theirs >kept.t; git commit -q -a -m theirs
	git checkout -q --detach HEAD~; echo ours >kept.t; git commit -q -a -m ours
	git merge -q other; test -f .git || exit 1; rm gone.t; echo one >one
	END
	cat >ending <<-\END &&
	git rev-parse -q --verify MERGE_HEAD || exit 1
	echo both >kept.t; git add -A; git commit -q -m merged
	END
	going_on_script && messy_script &&
	git clone -q origin merging && dies merging &&
	moves merging merged && goes_on merged &&
	test_grep "<<<<<<<" seen &&
	grep -v "kept.t$" seen.before >expect && grep -v "kept.t$" seen >actual && test_cmp expect actual &&
	cd elsewhere/merged &&
	git log --format=%s flower/join/messy >../../subjects &&
	git show flower/join/messy:kept.t >../../actual && cd ../.. &&
	echo both >expect && test_cmp expect actual &&
	test_grep "^theirs$" subjects && test_grep "^merged$" subjects
'

test_expect_success 'on the same machine, with its tree removed by hand' '
	: >ending && printf "echo one >one; rm gone.t; echo secret >secret.log\n" >mess && going_on_script && messy_script &&
	git clone -q origin removed && dies removed &&
	cd removed && read -r id <.git/flower/id &&
	rm -rf "${XDG_STATE_HOME:-$HOME/.local/state}/git-flower/$id/tree/1/tree" && : >../go &&
	git flower resume --timeout 0 </dev/null >../out &&
	git ls-tree --name-only flower/join/messy >../files && cd .. &&
	test_grep "^one$" files && test_grep "^two$" files && test_grep "^tool$" files && test_grep ! gone.t files
'

test_expect_success 'a checkout that is sparse, with a file the worker made outside of it' '
	git clone -q origin sparse && git -C sparse sparse-checkout set lib &&
	printf "echo one >one; rm gone.t; mkdir -p deep/er; echo d >deep/er/d\n" >mess && going_on_script && messy_script &&
	dies sparse && moves sparse sparsely && goes_on sparsely &&
	test_cmp seen.before seen &&
	git -C elsewhere/sparsely ls-tree -r --name-only flower/join/messy >files &&
	test_grep "^deep/er/d$" files && test_grep "^kept.t$" files && test_grep ! gone.t files
'

test_done
