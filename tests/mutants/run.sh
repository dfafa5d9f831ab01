#!/bin/bash
# The tool of random mutants, on a tree of one file: wrong mutants are noticed, equivalent ones
# survive, those that never run are reported so; and no mutant does harm.
. tests/lib.sh

skip() {
	echo "$1"
	echo "0 passed, 0 failed, 1 skipped"
	exit
}
[ "$(id -u)" = 0 ] || user="--user --map-root-user"
# shellcheck disable=SC2086  # words
unshare ${user-} --pid --mount --fork true 2>/dev/null || skip "namespaces are not allowed here"
/usr/bin/python3 -c 'import clang.cindex' 2>/dev/null ||
	skip "python3-clang is missing (make setup installs it)"

tree=$dir/tree
mkdir -p "$tree"/{core/base,tests/unit/base}
ln -s "$PWD/tests/run.sh" "$tree/tests/run.sh"
cat >"$tree/core/base/plain.c" <<'END'
#include <stdbool.h>
#include <unistd.h>

int lesser(int a, int b);
int never(int a, int b);
void remove_if(bool wanted, const char *path);
int halvings(unsigned n);

int lesser(int a, int b)
{
	return a < b ? a : b;
}

int never(int a, int b)
{
	return a * b;
}

void remove_if(bool wanted, const char *path)
{
	if (wanted)
		unlink(path);
}

int halvings(unsigned n)
{
	int count = 0;
	while (n) {
		n >>= 1;
		count++;
	}
	return count;
}
END
cat >"$tree/tests/unit/base/test_plain.c" <<'END'
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
int lesser(int a, int b);
void remove_if(bool wanted, const char *path);
int halvings(unsigned n);
int main(void)
{
	remove_if(false, getenv("PRECIOUS"));
	FILE *there = fopen(getenv("PRECIOUS"), "r");
	bool good = lesser(1, 2) == 1 && lesser(2, 1) == 1 && lesser(2, 2) == 2 && there;
	good = good && halvings(5) == 3;
	puts(good ? "ok 1" : "not ok 1");
	return !good;
}
END
cat >"$tree/Makefile" <<'END'
BUILD ?= build/release
OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard core/base/*.c))
TEST := $(BUILD)/tests/unit/base/test_plain
test-programs: $(TEST)
demos:
$(TEST): $(TEST).o $(OBJ)
	@gcc -o $@ $^
$(BUILD)/%.o: %.c
	@mkdir -p $(@D) && echo gcc -I. >$(BUILD)/flags && gcc -I. -MMD -c -o $@ $<
END
cat >"$tree/tests/covers.txt" <<'END'
core/* core/base/* : test_plain
test_plain = 0.1
END
export MUTANTS_TOP=$tree ROOM=core N=100 SEED=3 LEAST=1 NICE=1 PRECIOUS=$dir/precious
echo gold >"$PRECIOUS"
make -s -C "$tree" test-programs
results=$tree/build/mutants/core-3-100/results

campaign() {
	/usr/bin/python3 tests/mutants/run.py "$@" >"$dir/out" 2>"$dir/err"
	check "exit status $?" [ $? = 0 ]
}
# The verdict of a mutant: verdict FUNCTION OLD NEW
verdict() {
	awk -F'\t' -v f="$1" -v o="$2" -v n="$3" '$5 == f && $7 == o && $8 == n { print $2 }' \
		"$results"
}
is() {
	local got
	got=$(verdict "$1" "$2" "$3")
	check "$1: $2 -> $3: ${got:-not drawn}, expected $4" [ "$got" = "$4" ]
}

campaign
drawn=$(wc -l <"$results")
check "$drawn mutants drawn, expected one of each of 12 places" [ "$drawn" = 12 ]
# A place has several replacements, of which the seed selects one.
for way in '<=' '>='; do
	want=$([ "$way" = '<=' ] && echo survived || echo noticed)
	got=$(verdict lesser 'a < b' "a $way b")
	check "a $way b: $got, expected $want" [ "${got:-$want}" = $want ]
done
is lesser 'a < b ? a : b' '!(a < b) ? a : b' noticed
is never 'a * b' 'a / b' 'not executed'
is halvings 'count++;' ';' noticed
is halvings 'n >>= 1;' ';' noticed # runs for ever
is halvings 'n >>= 1' 'n <<= 1' noticed
is remove_if 'unlink(path);' ';' 'not executed'
is remove_if wanted '!(wanted)' noticed # and would have removed this:
check "what a mutant removed is gone" [ "$(cat "$PRECIOUS")" = gold ]
check "the tree itself was changed" [ "$(grep -c mutant_table "$tree/core/base/plain.c")" = 0 ]

# A campaign that was stopped tries the rest; the outcome is the same.
cp "$results" "$dir/whole"
sed -i 1,3d "$results"
campaign
says out "$drawn mutants, 3 to try"
passes "goes on where it was" cmp "$dir/whole" "$results"
# Unnoticed mutants once more, with a stronger test.
sed -i 's/FILE \*there/fclose(fopen("gone", "w")); remove_if(true, "gone"); &/
	s/ && there/& \&\& !fopen("gone", "r")/' \
	"$tree/tests/unit/base/test_plain.c"
campaign again
says out 'unlink(path); -> (left out)'
is remove_if 'unlink(path);' ';' noticed
is never 'a * b' 'a / b' 'not executed'
finish
