#!/bin/sh

test_description='configurations that get in the way, and places that refuse

Hooks that reject, a gpg that fails, an fsmonitor that writes: none of it may run
for what we write ourselves. Where git or the system refuses, the refusal is shown
and nothing was written.'

. "$(dirname "$0")/test-lib.sh"
. "$TEST_DIRECTORY/lib-flower.sh"

cd "$TRASH_DIRECTORY" || exit 1

same_end () {
	flower_canonical odd >"$TRASH_DIRECTORY/actual" &&
	test_cmp "$TRASH_DIRECTORY/expect" "$TRASH_DIRECTORY/actual" &&
	git diff flower/base/odd flower/join/odd -- >"$TRASH_DIRECTORY/actual.diff" &&
	test_cmp "$TRASH_DIRECTORY/expect.diff" "$TRASH_DIRECTORY/actual.diff"
}

test_expect_success 'what a plain repository comes to' '
	git init plain && test_commit -C plain first && cd plain &&
	flower_start --name odd "odd place" &&
	flower_canonical odd >../expect &&
	git diff flower/base/odd flower/join/odd >../expect.diff &&
	test_line_count -gt 3 ../expect.diff
'

# rejecting_hooks <folder> fills it with every hook git knows; each tells of itself
# in ../ran and rejects.
rejecting_hooks () {
	mkdir -p "$1" &&
	for hook in applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg \
		commit-msg post-commit pre-rebase post-checkout post-merge pre-push pre-receive update proc-receive \
		post-receive post-update reference-transaction push-to-checkout pre-auto-gc post-rewrite \
		sendemail-validate fsmonitor-watchman post-index-change
	do
		printf "#!/bin/sh\necho $hook >>\"%s/ran\"\nexit 1\n" "$TRASH_DIRECTORY" >"$1/$hook" &&
		chmod +x "$1/$hook" || return 1
	done
}

test_expect_success 'hooks that reject everything do not run for what we write' '
	git clone plain hooks && cd hooks &&
	rejecting_hooks .git/hooks && rm -f ../ran &&
	flower_start --name odd "odd place" &&
	same_end &&
	test_path_missing ../ran &&
	flower_kill_at 24 start --rehearse --timeout 0 --new --name odd-2 "odd place" &&
	git flower resume odd-2 --timeout 0 </dev/null &&
	git flower fsck odd-2 &&
	test_path_missing ../ran
'

test_expect_success 'land is the person'\''s own act: hooks run, and a refusal undoes it' '
	cd hooks && rm -f ../ran &&
	before=$(git rev-parse HEAD) &&
	test_must_fail git flower land --rehearsed odd --no-ff 2>../err &&
	test_path_exists ../ran &&
	rm -rf .git/hooks &&
	test "$before" = "$(git rev-parse HEAD)" &&
	git status --porcelain >../out && test_must_be_empty ../out &&
	git flower land --rehearsed odd &&
	test_path_exists rehearsal-odd.md
'

test_expect_success 'hooks that core.hooksPath names for everybody' '
	git clone plain hooks-path && cd hooks-path &&
	rejecting_hooks "$HOME/hooks" && rm -f ../ran &&
	test_when_finished "git config --global --unset core.hooksPath" &&
	git config --global core.hooksPath "$HOME/hooks" &&
	flower_start --name odd "odd place" &&
	same_end &&
	test_path_missing ../ran
'

test_expect_success 'hooks of a template do not come into trees' '
	git clone plain template && cd template &&
	rejecting_hooks "$HOME/template/hooks" && rm -f ../ran &&
	test_when_finished "git config --global --unset init.templateDir" &&
	git config --global init.templateDir "$HOME/template" &&
	flower_script true <<-END &&
	- call: {tool: Bash, input: {command: "echo x >made && git add made && git commit -qm made && git checkout -qb side", description: commit}}
	$(flower_report)
	END
	flower_play --name odd x && test "$flower_code" = 0 &&
	test_path_missing ../ran
'

test_expect_success 'signing is forced, and gpg fails' '
	git clone plain signing && cd signing &&
	printf "#!/bin/sh\necho gpg \"\$@\" >>\"%s/ran\"\nexit 2\n" "$TRASH_DIRECTORY" >../gpg && chmod +x ../gpg && rm -f ../ran &&
	git config gpg.program "$TRASH_DIRECTORY/gpg" &&
	git config commit.gpgSign true && git config tag.gpgSign true && git config push.gpgSign true &&
	git config log.showSignature true &&
	test_must_fail git commit --allow-empty -m "cannot" &&
	rm ../ran &&
	flower_start --name odd "odd place" &&
	same_end &&
	git flower log odd >../out && test_grep reached ../out &&
	git flower status odd >../out && git flower show odd >../out &&
	test_path_missing ../ran
'

test_expect_success 'a worker commits where signing is forced' '
	cd signing &&
	flower_script true <<-END &&
	- call: {tool: Bash, input: {command: "echo x >made && git add made && git commit -qm made", description: commit}}
	$(flower_report)
	END
	flower_play --name commits x && test "$flower_code" = 0 &&
	test_path_missing ../ran &&
	git diff --name-only flower/base/commits flower/join/commits >../out &&
	echo made >../expect.names && test_cmp ../expect.names ../out
'

test_expect_success 'land where signing fails leaves all as it was' '
	cd signing &&
	before=$(git rev-parse HEAD) &&
	test_must_fail git flower land --rehearsed odd --no-ff 2>../err &&
	test_path_exists ../ran &&
	test "$before" = "$(git rev-parse HEAD)" &&
	git status --porcelain >../out && test_must_be_empty ../out
'

test_expect_success 'land where only signed commits may be merged leaves all as it was' '
	cd signing &&
	before=$(git rev-parse HEAD) &&
	git config merge.verifySignatures true &&
	test_must_fail code=128 git flower land --rehearsed odd 2>../err &&
	test_grep "signature" ../err &&
	test "$before" = "$(git rev-parse HEAD)" &&
	git status --porcelain >../out && test_must_be_empty ../out
'

test_expect_success 'an fsmonitor that would write' '
	git clone plain fsmonitor && cd fsmonitor &&
	printf "#!/bin/sh\necho \"\$PWD\" >>\"%s/ran\"\nprintf \"token\\\\0/\\\\0\"\n" "$TRASH_DIRECTORY" >../monitor && chmod +x ../monitor &&
	git config core.fsmonitor "\"$TRASH_DIRECTORY/monitor\"" && git config core.fsmonitorHookVersion 2 &&
	git update-index --fsmonitor && git status >../out && test_path_exists ../ran && rm ../ran &&
	flower_start --name odd "odd place" &&
	same_end &&
	if test -f ../ran; then sort -u ../ran; fi >../where &&
	pwd -P >../here &&
	: of trees nothing is asked, of the checkout only by the status of the user &&
	test_must_fail grep -v -x -F -f ../here ../where
'

test_expect_success 'attributes: filters and merge drivers that fail' '
	git clone plain filters && cd filters &&
	echo "*.md filter=broken merge=broken diff=broken" >.gitattributes && git add .gitattributes && git commit -qm attributes &&
	git config filter.broken.clean false && git config filter.broken.smudge false &&
	git config merge.broken.driver false && git config diff.broken.textconv false && git config diff.external false &&
	flower_start --name odd "odd place" &&
	flower_canonical odd >../actual && test_cmp ../expect ../actual
'

test_expect_success 'settings that change what git prints' '
	git clone plain printing && cd printing &&
	git config color.ui always && git config log.showSignature true && git config log.decorate full &&
	git config diff.noprefix true && git config diff.mnemonicPrefix true && git config diff.renames copies &&
	git config status.showUntrackedFiles no && git config status.short true && git config status.branch true &&
	git config core.abbrev 5 && git config core.quotePath true && git config column.ui always &&
	git config format.pretty "%H nonsense" && git config log.date relative && git config i18n.logOutputEncoding latin1 &&
	git config core.commentChar auto && git config commit.cleanup scissors && git config commit.verbose true &&
	git config commit.template /nonexistent && git config core.editor false && git config sequence.editor false &&
	git config merge.ff only && git config pull.rebase true && git config rebase.autoStash true &&
	git config merge.conflictStyle zdiff3 && git config rerere.enabled true && git config gc.auto 1 &&
	git config fetch.prune true && git config transfer.fsckObjects true && git config core.logAllRefUpdates false &&
	git config core.sharedRepository group && git config user.useConfigOnly true && git config core.pager false &&
	flower_start --name odd "odd place" &&
	flower_canonical odd >../actual && test_cmp ../expect ../actual &&
	git flower log odd >../out && test_grep reached ../out && test_grep ! "$(printf "\033")" ../out &&
	git flower status >../out && test_grep odd ../out &&
	git reflog exists refs/flower/run/odd &&
	git flower land --rehearsed odd && test_path_exists rehearsal-odd.md
'

test_lazy_prereq OTHER_USER 'test "$(id -u)" = 0 && mkdir owned && chown 12345 owned && test "$(ls -nd owned | awk "{print \$3}")" = 12345'

test_expect_success OTHER_USER 'a repository of another user: the words of git, and nothing is written' '
	git clone plain theirs && chown -R 12345 theirs && cd theirs &&
	find . | sort >../before &&
	for command in "start --rehearse x" status "log odd" "resume odd" "land odd" fsck
	do
		test_must_fail code=128 git flower $command 2>../err </dev/null &&
		test_grep "dubious ownership" ../err &&
		test_grep "safe.directory" ../err || return 1
	done &&
	find . | sort >../after && test_cmp ../before ../after &&
	test_path_missing .git/flower
'

test_expect_success OTHER_USER 'a repository of another user that is declared safe' '
	cd theirs &&
	test_when_finished "git config --global --unset safe.directory; chown -R $(id -u) theirs" &&
	git config --global safe.directory "$TRASH_DIRECTORY/theirs" &&
	flower_start --name odd "odd place" &&
	same_end
'

# A git directory that cannot be written, for root too.
test_lazy_prereq READ_ONLY '
	mkdir probe && mount --bind probe probe && mount -o remount,ro,bind probe && ! touch probe/x
	code=$?
	umount probe
	test $code = 0
'
test_lazy_prereq NOT_ROOT 'test "$(id -u)" != 0'

refuses_to_write () {
	test_must_fail code=128 git flower start --rehearse --timeout 0 --name odd "odd place" </dev/null 2>../err &&
	test_grep -i "read-only\|permission denied" ../err &&
	test_grep ! "== clarify" ../err &&
	git for-each-ref refs/flower >../out && test_must_be_empty ../out &&
	find "$XDG_STATE_HOME" -newer ../mark >../out && test_must_be_empty ../out
}

test_expect_success READ_ONLY 'a read-only git directory is refused before anything is written' '
	git clone plain frozen && cd frozen && : >../mark &&
	mount --bind .git .git && test_when_finished "umount \"$TRASH_DIRECTORY/frozen/.git\"" &&
	mount -o remount,ro,bind .git &&
	refuses_to_write
'

test_expect_success NOT_ROOT 'a git directory without the right to write is refused' '
	git clone plain closed && cd closed && : >../mark &&
	test_when_finished "chmod -R u+w closed/.git" && chmod -R a-w .git &&
	refuses_to_write
'

test_expect_success READ_ONLY 'a run can be read where nothing can be written' '
	cp -R plain museum && cd museum && : >../mark &&
	mount --bind .git .git && test_when_finished "umount \"$TRASH_DIRECTORY/museum/.git\"" &&
	mount -o remount,ro,bind .git &&
	git flower log odd >../out && test_grep reached ../out &&
	git flower status odd >../out && test_grep reached ../out &&
	git flower show odd >../out &&
	git flower fsck odd &&
	flower_canonical odd >../actual && test_cmp ../expect ../actual &&
	test_must_fail code=128 git flower resume odd -m "more" </dev/null 2>../err &&
	test_grep -i "read-only" ../err
'

test_expect_success READ_ONLY 'a state folder that cannot be written is refused' '
	git clone plain stateless && cd stateless && mkdir ../frozen-state &&
	mount --bind ../frozen-state ../frozen-state && test_when_finished "umount \"$TRASH_DIRECTORY/frozen-state\"" &&
	mount -o remount,ro,bind ../frozen-state &&
	(
		XDG_STATE_HOME=$TRASH_DIRECTORY/frozen-state && export XDG_STATE_HOME &&
		test_must_fail code=128 git flower start --rehearse --timeout 0 --name odd "odd place" </dev/null 2>../err
	) &&
	test_grep -i "read-only" ../err && test_grep "frozen-state" ../err &&
	git for-each-ref refs/flower >../out && test_must_be_empty ../out
'

test_lazy_prereq SHM 'test -d /dev/shm && test -w /dev/shm && test "$(stat -c %d /dev/shm)" != "$(stat -c %d .)"'

test_expect_success SHM 'the state folder is on another file system' '
	git clone plain elsewhere && cd elsewhere &&
	state=$(mktemp -d /dev/shm/flower-XXXXXX) && test_when_finished "rm -rf $state" &&
	(
		XDG_STATE_HOME=$state && export XDG_STATE_HOME &&
		flower_start --name odd "odd place" &&
		same_end &&
		flower_kill_at 24 start --rehearse --timeout 0 --new --name odd-2 "odd place" &&
		git flower resume odd-2 --timeout 0 </dev/null &&
		git flower land --rehearsed odd
	) &&
	test_path_exists rehearsal-odd.md &&
	test -n "$(ls "$state/git-flower")"
'

test_done
