#!/bin/sh
# Tests of ./list: prints a line for each, exits 1 when one fails.

failed=0

check() { # <what> <wanted> <got>
	if [ "$2" = "$3" ]; then
		echo "ok   $1"
	else
		echo "FAIL $1: wanted [$2], got [$3]"
		failed=1
	fi
}

check 'one book a line' 'Middlemarch (George Eliot)' "$(./list | tail -n 1)"
check '--json has every book' 3 "$(./list --json | grep -c '"title"')"
check '--json escapes quotation marks' \
	'  {"title": "A \"Working\" Title", "author": "Anonymous"},' \
	"$(./list --json | grep Working)"

[ $failed = 0 ] && echo 'all tests pass'
exit $failed
