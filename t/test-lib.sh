#!/bin/sh
#
# test-lib.sh: what every script in t/ begins with.
#
#	#!/bin/sh
#	test_description='what this script is about'
#	. "$(dirname "$0")/test-lib.sh"
#	test_expect_success 'setup' '
#		test_commit base
#	'
#	test_done
#
# It speaks TAP, runs under dash and bash, and needs nothing but git and, when
# TEST_FLOWER_BIN is not set, go. README.md in this directory explains the rest.

# "prove t/t*.sh" takes this file for a script.
case "$0" in
*test-lib.sh)
	echo '1..0 # skip this is the library'
	exit 0
	;;
esac

test -n "$test_description" || {
	echo >&2 "test-lib.sh: set test_description first"
	exit 1
}

test_script=$(basename "$0" .sh)
test_outer_home=$HOME
# Where this file is; a script elsewhere names it in TEST_DIRECTORY.
TEST_DIRECTORY=${TEST_DIRECTORY:-$(cd "$(dirname "$0")" && pwd -P)} || exit 1
test_verbose= test_immediate= test_trace= test_keep=
for test_option
do
	case "$test_option" in
	-v | --verbose) test_verbose=t ;;
	-i | --immediate) test_immediate=t ;;
	-x) test_trace=t test_verbose=t ;;
	-d | --keep) test_keep=t ;;
	*)
		echo >&2 "usage: $0 [-v] [-i] [-x] [-d]"
		exit 129
		;;
	esac
done

# --- a place of its own -----------------------------------------------------

# The blank in the name finds what is not quoted.
TRASH_DIRECTORY="${TMPDIR:-$TEST_DIRECTORY}/trash $test_script.$$"
rm -rf "$TRASH_DIRECTORY"
mkdir -p "$TRASH_DIRECTORY" || exit 1
TRASH_DIRECTORY=$(cd "$TRASH_DIRECTORY" && pwd -P) || exit 1
test_state=$TRASH_DIRECTORY/.test # the library's own files
mkdir "$test_state" "$TRASH_DIRECTORY/home" "$TRASH_DIRECTORY/tmp" || exit 1

# Where go keeps its settings, its cache and its modules depends on HOME and the
# XDG directories. A build in the test's own ones would begin with an empty cache
# and without the user's settings: minutes, and the network.
test_go=$(command -v go)
if test -n "$test_go"
then
	test_go_env=$(go env GOENV) test_go_cache=$(go env GOCACHE)
	test_go_path=$(go env GOPATH) test_go_modules=$(go env GOMODCACHE)
fi

# test_go_build <output> <package> [<option>...] builds one of our programs.
test_go_build () {
	(
		cd "$TEST_DIRECTORY/.." &&
		HOME=$test_outer_home GOENV=$test_go_env GOCACHE=$test_go_cache &&
		GOPATH=$test_go_path GOMODCACHE=$test_go_modules &&
		export HOME GOENV GOCACHE GOPATH GOMODCACHE &&
		test_output=$1 test_package=$2 &&
		shift 2 &&
		go build -buildvcs=false -o "$test_output" "$@" "$test_package"
	) >&2
}

# The binaries: as it is installed, and with crash points compiled in.
if test -z "$TEST_FLOWER_BIN" && test -n "$test_go"
then
	TEST_FLOWER_BIN=$test_state/bin
	TEST_FLOWER_CRASH_BIN=$test_state/crash-bin
	test_go_build "$TEST_FLOWER_BIN/git-flower" ./cmd/git-flower || {
		echo "Bail out! git-flower does not build"
		rm -rf "$TRASH_DIRECTORY"
		exit 1
	}
fi

# The Claude Code CLI, if there is one; what follows forgets who named it.
test_claude=${GIT_FLOWER_TEST_CLAUDE:-$(command -v claude)}

# --- an environment without surprises -----------------------------------------

for test_variable in $(env | sed -n 's/^\([A-Za-z_][A-Za-z0-9_]*\)=.*/\1/p')
do
	case "$test_variable" in
	GIT_* | ANTHROPIC_* | CLAUDE_* | CLAUDECODE | FLOWER_* | XDG_* | LC_* | LANGUAGE | EMAIL | \
	EDITOR | VISUAL | PAGER | LESS | SSH_* | GPG_* | CDPATH | ENV | BASH_ENV | GREP_OPTIONS | NO_COLOR | \
	*_TOKEN | *_KEY | *_SECRET | http_proxy | https_proxy | all_proxy | HTTP_PROXY | HTTPS_PROXY | ALL_PROXY | no_proxy | NO_PROXY)
		unset "$test_variable"
		;;
	esac
done
LANG=C LC_ALL=C TZ=UTC TERM=dumb
HOME=$TRASH_DIRECTORY/home
XDG_CONFIG_HOME=$HOME/.config
XDG_STATE_HOME=$HOME/.local/state
XDG_CACHE_HOME=$HOME/.cache
TMPDIR=$TRASH_DIRECTORY/tmp
GIT_CONFIG_NOSYSTEM=1
GIT_CEILING_DIRECTORIES=$TRASH_DIRECTORY # nothing above is a repository of ours
PATH=${TEST_FLOWER_BIN:+$TEST_FLOWER_BIN:}$PATH
# Commands of workers in these scripts meet the script outside of their trees. A
# script about what users get unsets it.
GIT_FLOWER_FENCE=off
# The Claude Code CLI of a machine has a part in those scripts only that ask for it.
GIT_FLOWER_HARNESS=messages
export GIT_FLOWER_FENCE GIT_FLOWER_HARNESS
export LANG LC_ALL TZ TERM HOME XDG_CONFIG_HOME XDG_STATE_HOME XDG_CACHE_HOME TMPDIR
export GIT_CONFIG_NOSYSTEM GIT_CEILING_DIRECTORIES PATH TEST_DIRECTORY TRASH_DIRECTORY TEST_FLOWER_BIN TEST_FLOWER_CRASH_BIN
git config --global user.name 'A U Thor' &&
git config --global user.email author@example.com &&
git config --global init.defaultBranch main &&
git config --global advice.detachedHead false || exit 1

# --- counting and saying ------------------------------------------------------

test_count=0 test_failed=0 test_fixed=0 test_known=0
test_finished= test_cleanup= test_ignored=

# test_say prints to the script's own standard output, also from within a test.
exec 5>&1
test_say () {
	printf '%s\n' "$*" >&5
}

# test_seed decides which cases a slice holds. It changes with the day, so that in
# time all of them get their turn; TEST_SEED has a slice again.
test_seed=${TEST_SEED:-$(date -u +%Y%j)}

# test_pick <n> <of> [<salt>] prints <n> of the numbers from 1 to <of>, one of each
# nth part of them; all, when there are no more. Another salt picks others.
test_pick () {
	test_picked=$(awk -v n="$1" -v of="$2" -v seed="$test_seed" -v salt="${3:-0}" 'BEGIN {
		if (n > of) n = of
		x = (seed * 7919 + salt * 104729) % 2147483647
		for (i = 0; i < n; i++) {
			for (j = 0; j < 5; j++) x = (x * 16807 + 11) % 2147483647
			low = int(i * of / n); high = int((i + 1) * of / n)
			print low + 1 + x % (high - low)
		}
	}') &&
	test_say "# TEST_SEED=$test_seed picks of $2:" $test_picked &&
	echo "$test_picked"
}

# test_comment prints a file as TAP comments.
test_comment () {
	sed 's/^/# /' "$1" >&5
}

test_died () {
	test_code=$?
	test -n "$test_finished" && exit "$test_code"
	if test -n "$test_running"
	then
		test -n "$test_verbose" || test_comment "$test_state/out"
	else
		test_count=$((test_count + 1))
	fi
	test_say "not ok $test_count - the script ended before test_done (exit $test_code)"
	exit 1
}
trap test_died EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# test_eval runs a test's text in this shell, so that it may set variables and
# change directory; the directory is set back afterwards.
test_eval () {
	if test -n "$test_verbose"
	then
		test_eval_here "$1" </dev/null >&5 2>&1
	else
		test_eval_here "$1" </dev/null >"$test_state/out" 2>&1
	fi
}

test_eval_here () {
	test_result=0
	test -n "$test_trace" && set -x
	eval "$1" || test_result=$?
	{ set +x; } 2>/dev/null
	cd "$test_home_directory" || test_result=1
	return "$test_result"
}

# test_unchained reports whether a line of a test can fail without the test
# noticing: with a chain of && from first to last, nothing runs after a failure.
test_unchained () {
	(
		eval "(exit 117) && $1"
		exit $?
	) </dev/null >/dev/null 2>&1
	test $? != 117
}

# test_run runs one test and what it left for test_when_finished.
test_run () {
	test_running=t test_cleanup=
	test_home_directory=$(pwd)
	: >"$test_state/out"
	if test_unchained "$1"
	then
		echo "broken && chain" >"$test_state/out"
		test_status=1
	else
		test_eval "$1"
		test_status=$?
	fi
	if test -n "$test_cleanup"
	then
		test_body=$test_cleanup test_cleanup=
		eval "$test_body" >>"$test_state/out" 2>&1 || test_status=1
		cd "$test_home_directory" || test_status=1
	fi
	test_running=
	return "$test_status"
}

test_arguments () {
	test_needs= test_title=$1 test_text=$2
	test $# = 3 && test_needs=$1 test_title=$2 test_text=$3
	test $# = 2 || test $# = 3 || {
		test_say "# a test takes [<prerequisites>] <title> <script>"
		exit 1
	}
}

# test_skip counts a test that cannot run here, and names what is missing.
test_skip () {
	test -n "$test_needs" || return 1
	test_have_prereq "$test_needs" && return 1
	test_say "ok $test_count - $test_title # skip missing $test_missing"
}

# test_expect_success [<prerequisites>] <title> <script>
test_expect_success () {
	test_arguments "$@"
	test_count=$((test_count + 1))
	test_skip && return
	if test_run "$test_text"
	then
		test_say "ok $test_count - $test_title"
		return
	fi
	test_failed=$((test_failed + 1))
	test_say "not ok $test_count - $test_title"
	printf '%s\n' "$test_text" >"$test_state/text"
	test_comment "$test_state/text"
	test -n "$test_verbose" || test_comment "$test_state/out"
	test -z "$test_immediate" || test_done
}

# test_expect_failure notes a known bug: it must fail, until it is cured.
test_expect_failure () {
	test_arguments "$@"
	test_count=$((test_count + 1))
	test_skip && return
	if test_run "$test_text"
	then
		test_fixed=$((test_fixed + 1))
		test_say "not ok $test_count - $test_title is cured: make it test_expect_success"
	else
		test_known=$((test_known + 1))
		test_say "not ok $test_count - $test_title # TODO known bug"
	fi
}

# test_when_finished <command>: run when this test is over, whatever became of it.
test_when_finished () {
	test_cleanup="$*
$test_cleanup"
}

# --- prerequisites --------------------------------------------------------------

# test_set_prereq NAME says that NAME is there; test_lazy_prereq NAME '<script>'
# says how to find out, once.
test_satisfied=' ' test_unsatisfied=' '
test_set_prereq () {
	test_satisfied="$test_satisfied$1 "
}
test_lazy_prereq () {
	eval "test_prereq_$1=\$2"
}

# test_have_prereq A,B,!C sets test_missing to those that are not fulfilled.
test_have_prereq () {
	test_missing=
	for test_one in $(echo "$*" | tr , ' ')
	do
		case "$test_one" in
		!*) ! test_has "${test_one#!}" ;;
		*) test_has "$test_one" ;;
		esac || test_missing=${test_missing:+$test_missing,}$test_one
	done
	test -z "$test_missing"
}

test_has () {
	case "$test_satisfied" in *" $1 "*) return 0 ;; esac
	case "$test_unsatisfied" in *" $1 "*) return 1 ;; esac
	eval "test_script_text=\${test_prereq_$1:-false}"
	if (
		cd "$test_state" && eval "$test_script_text"
	) </dev/null >/dev/null 2>&1
	then
		test_satisfied="$test_satisfied$1 "
	else
		test_unsatisfied="$test_unsatisfied$1 "
		return 1
	fi
}

test_lazy_prereq FLOWER 'test -n "$TEST_FLOWER_BIN" && git flower version'
test_lazy_prereq CRASH 'test_crash_binary'
test_lazy_prereq GO 'test -n "$test_go"'
test_lazy_prereq LONG 'test -n "$TEST_LONG"' # hours, not seconds
test_lazy_prereq BASH 'command -v bash'
test_lazy_prereq PERL 'command -v perl'
test_lazy_prereq CC 'command -v cc'
test_lazy_prereq SSHD 'command -v sshd'
test_lazy_prereq CLAUDE 'test -x "$test_claude"'
# Under nohup it is ignored, and then git flower ignores it too.
test_lazy_prereq HANGUP 'sh -c "kill -HUP \$\$"; test $? = 129'
test_lazy_prereq NOT_ROOT 'test "$(id -u)" != 0'
test_lazy_prereq SYMLINKS 'ln -s x link-probe && test -h link-probe'
test_lazy_prereq REFTABLE 'git init --ref-format=reftable reftable-probe'
test_lazy_prereq SHA256 'git init --object-format=sha256 sha256-probe'

# test_crash_binary makes sure that there is a git-flower with crash points.
test_crash_binary () {
	test -x "$TEST_FLOWER_CRASH_BIN/git-flower" && return
	test -n "$test_go" && test -n "$TEST_FLOWER_CRASH_BIN" || return 1
	test_go_build "$TEST_FLOWER_CRASH_BIN/git-flower" ./cmd/git-flower -tags flowertest
}

# --- assertions ------------------------------------------------------------------

# test_expect_code <code> <command>: exactly that exit code, and no crash.
test_expect_code () {
	test_wanted=$1
	shift
	test_watched "$@"
	test_got=$?
	test "$test_got" = "$test_wanted" && test_uncrashed "$@" && return
	echo >&2 "exit $test_got instead of $test_wanted: $*"
	return 1
}

# test_must_fail [code=<code>] <command>: fails, but in a controlled way: not by a
# signal, not for want of the command, not by a panic. 128 and 129 are git's own
# codes for "fatal" and "usage". Not for shell functions that set variables.
test_must_fail () {
	case "$1" in
	code=*)
		test_wanted=${1#code=}
		shift
		test_expect_code "$test_wanted" "$@"
		return
		;;
	esac
	test_watched "$@"
	test_got=$?
	case "$test_got" in
	0) echo >&2 "succeeded, but must not: $*" ;;
	126 | 127) echo >&2 "not found: $*" ;;
	128 | 129) test_uncrashed "$@" && return ;;
	13[0-9] | 1[4-9][0-9] | 2??) echo >&2 "died of a signal (exit $test_got): $*" ;;
	*) test_uncrashed "$@" && return ;;
	esac
	return 1
}

# test_watched runs a command and keeps a copy of its standard error.
test_watched () {
	"$@" 2>"$test_state/err"
	test_code=$?
	cat "$test_state/err" >&2
	return "$test_code"
}

# A panic of Go's exits with 2, which means something else here.
test_uncrashed () {
	grep -q -e '^panic: ' -e '^fatal error: ' -e '^goroutine [0-9]* \[' "$test_state/err" || return 0
	echo >&2 "crashed: $*"
	return 1
}

# test_cmp <expect> <actual>
test_cmp () {
	test $# = 2 || {
		echo >&2 "test_cmp takes two files"
		return 1
	}
	diff -u "$1" "$2"
}

test_must_be_empty () {
	test -f "$1" || {
		echo >&2 "'$1' is no file"
		return 1
	}
	test ! -s "$1" && return
	echo >&2 "'$1' is not empty:"
	cat >&2 "$1"
	return 1
}

# test_line_count <operator> <number> <file>: test_line_count = 3 actual
test_line_count () {
	test_lines=$(wc -l <"$3") || return 1
	test "$test_lines" "$1" "$2" && return
	echo >&2 "'$3' has $test_lines lines, not $1 $2:"
	cat >&2 "$3"
	return 1
}

# test_grep [!] [<options of grep>] <pattern> <file> shows the file when it is not so.
test_grep () {
	test_not=
	test "$1" = ! && test_not=t && shift
	for test_file
	do
		:
	done
	test -f "$test_file" || {
		echo >&2 "'$test_file' is no file"
		return 1
	}
	if grep "$@" >/dev/null
	then
		test -z "$test_not" && return
		echo >&2 "found in '$test_file': $*"
	else
		test -n "$test_not" && return
		echo >&2 "not found in '$test_file': $*"
	fi
	cat >&2 "$test_file"
	return 1
}

test_path_exists () {
	test -e "$1" || test -h "$1" || {
		echo >&2 "'$1' does not exist"
		return 1
	}
}

test_path_missing () {
	test ! -e "$1" && test ! -h "$1" || {
		echo >&2 "'$1' exists"
		return 1
	}
}

# test_wait_for [-t <seconds>] <command>: until it succeeds, for a minute at most.
# This is the only place in t/ that sleeps.
test_wait_for () {
	test_patience=60
	test "$1" = -t && test_patience=$2 && shift 2
	test_deadline=$(($(date +%s) + test_patience))
	until "$@"
	do
		test "$(date +%s)" -lt "$test_deadline" || {
			echo >&2 "waited $test_patience seconds in vain: $*"
			return 1
		}
		sleep 0.02 2>/dev/null || sleep 1
	done
}

# test_process_gone <pid>: a zombie is not gone, so wait for your own children.
test_process_gone () {
	! kill -0 "$1" 2>/dev/null
}

# --- repositories -------------------------------------------------------------------

# test_tick moves the clock of test_commit on by a minute.
test_clock=1112911993
test_tick () {
	test_clock=$((test_clock + 60))
}

# test_commit [-C <directory>] <message> [<file> [<content>]]: the file is named
# after the message, and so is its content.
test_commit () {
	test_where=.
	test "$1" = -C && test_where=$2 && shift 2
	test_tick
	test_into=${2:-$(echo "$1" | tr ' /' '--').t}
	(
		cd "$test_where" &&
		mkdir -p "$(dirname "$test_into")" &&
		printf '%s\n' "${3:-$1}" >"$test_into" &&
		git add -- "$test_into" &&
		GIT_AUTHOR_DATE="$test_clock +0000" GIT_COMMITTER_DATE="$test_clock +0000" git commit -q -m "$1"
	)
}

# test_ignore_repository <directory>: it is broken on purpose, do not check it.
test_ignore_repository () {
	test_ignored="$test_ignored$(cd "$1" && pwd -P)
"
}

# test_repositories lists the git directories that the script made, one a line; a
# newline in a path stands as the character 001.
test_repositories () {
	find "$TRASH_DIRECTORY" -name objects -type d ! -path "$test_state/*" -exec sh -c '
		for objects
		do
			dir=$(dirname "$objects")
			test -f "$dir/HEAD" || test -h "$dir/HEAD" || continue
			test -d "$dir/refs" || continue
			printf %s "$dir" | tr "\n" "\001"
			echo
		done
	' sh {} +
}

# test_fsck checks one git directory. What is unreachable is no damage.
test_fsck () {
	git --git-dir="$1" fsck --strict --no-dangling --no-progress || return 1
	case "$1" in
	"$XDG_STATE_HOME"/*) return 0 ;; # a worker's own; its records are in the user's
	esac
	test_has FLOWER || return 0
	test -n "$(git --git-dir="$1" for-each-ref --count=1 refs/flower)" || return 0
	GIT_DIR=$1 git flower fsck
}

test_fsck_all () {
	test_repositories >"$test_state/repositories"
	test_bad=0
	while read -r test_repository
	do
		test_repository=$(printf %s "$test_repository" | tr "\001" "\n")
		case "
$test_ignored" in
		*"
$test_repository
"* | *"
${test_repository%/.git}
"*) continue ;;
		esac
		test_fsck "$test_repository" >"$test_state/out" 2>&1 && continue
		test_bad=$((test_bad + 1))
		test_say "# fsck: $test_repository"
		test_comment "$test_state/out"
	done <"$test_state/repositories"
	test "$test_bad" = 0
}

# test_done checks every repository, prints the plan, and decides.
test_done () {
	test_count=$((test_count + 1))
	if test_fsck_all
	then
		test_say "ok $test_count - every repository passes git fsck --strict and git flower fsck"
	else
		test_failed=$((test_failed + 1))
		test_say "not ok $test_count - every repository passes git fsck --strict and git flower fsck"
	fi
	test_say "1..$test_count"
	test_finished=t
	cd "$TEST_DIRECTORY" || exit 1
	if test "$test_failed" = 0 && test "$test_fixed" = 0
	then
		test -n "$test_keep" || rm -rf "$TRASH_DIRECTORY"
		exit 0
	fi
	test_say "# $test_description: $test_failed of $test_count failed; see $TRASH_DIRECTORY"
	exit 1
}

# skip_all <why>: nothing in this script can run here.
skip_all () {
	test_finished=t
	test_say "1..0 # skip $1"
	rm -rf "$TRASH_DIRECTORY"
	exit 0
}

# Scripts begin in a new repository, unless they say otherwise.
mkdir "$TRASH_DIRECTORY/repo" && cd "$TRASH_DIRECTORY/repo" || exit 1
test -n "$TEST_NO_REPOSITORY" || git init -q || exit 1
