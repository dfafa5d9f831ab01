#!/bin/bash
# Paths and calling contexts are those that follow from a program's instructions by definition
# alone, path by path and context by context (traced.py, which shares nothing with the editor's
# code): interpreters of several kinds, and a demo. With CYCLOPS_TEST_SCALE=long also of another one
# and of real programs.
#
#   tests/edit/traced.sh [PROGRAM INPUT [ARGS...]]    of a program of yours
cd "$(dirname "$0")/../.." || exit 1
within=build
. tests/lib.sh
. tests/edit/inputs.sh
BUILD=${BUILD:-build/release}
skipped=0

# traced PROGRAM INPUT [ARGS...]
traced() {
	passes "$*" python3 tests/edit/traced.py "$CYCLOPS" "$BUILD/tests/edit/tracer" "$made" "$@"
	echo "$1: $(tail -n 1 "$dir/said")"
}
if [ $# != 0 ]; then
	traced "$@"
	finish
	exit
fi
head -n 200 $input/words.txt >"$made/few"
traced build/tests/edit/dispatch /dev/null 300
[ "${CYCLOPS_TEST_SCALE:-full}" = small ] || traced build/tests/edit/sort /dev/null "$made/few"
if [ "${CYCLOPS_TEST_SCALE:-full}" = long ]; then
	# shellcheck disable=SC2086
	traced build/tests/edit/lisp /dev/null ${arguments[lisp]}
	head -c 20000 $input/gpl-3.txt >"$made/some"
	# Lua's behaviour depends on addresses: it hashes by address all values but texts and
	# numbers.
	cat >"$made/queries" <<'END'
create table t(id integer primary key, name text, n integer);
with recursive k(i) as (select 1 union all select i + 1 from k where i < 200) insert into t select i, 'name ' || (i * 7919 % 200), i * i % 97 from k;
create index by_n on t(n);
select n, count(*), min(name), avg(id) from t group by n having count(*) > 2 order by 2 desc, 1 limit 5;
select a.id, b.id from t a join t b on a.n = b.n and a.id < b.id where a.name like '%9%' order by 1, 2 limit 5;
update t set name = upper(substr(name, 1, 3)) || n where n between 10 and 30;
delete from t where id % 3 = 0;
select sum(length(name)), group_concat(distinct n % 5) from t;
END
	: >"$made/nothing"
	for of in "bzip2 $made/some -9c" "gzip $made/some -9nc" \
		"sqlite3 $made/queries -batch -init $made/nothing :memory:"; do
		read -r name from rest <<<"$of"
		if [ ! -x build/debian/$name ] && [ -z "${CI:-}" ]; then
			echo "skipped: build/debian/$name is not there; make debian-$([ $name = sqlite3 ] && echo large || echo programs) builds it"
			skipped=$((skipped + 1))
			continue
		fi
		# shellcheck disable=SC2086
		traced "build/debian/$name" "$from" $rest
	done
fi
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
