#!/bin/bash
# `cyclops microcode` from outside: listings, headers for C compilers, words written and read back,
# refusals and their messages.
. tests/lib.sh

microcode() { run "$1" microcode "${@:2}"; }
value=tests/cop/slots.mic

microcode 0 $value
says out "slot-test: hits and misses of one value of each load"
says out "load    load, 3 words a record: pc, result"
says out "turn_off:"
says out "match slot, pc | sadd.32 samples, samples, one | if miss goto new"
silent err
sed -nE 's/^ +[0-9]+  ([0-9a-f]{16} [0-9a-f]{16})  .*/\1/p' "$dir/out" >"$dir/words"
check "a line for each microinstruction" [ "$(wc -l <"$dir/words")" \
	= "$(sed -nE 's/^([0-9]+) microinstructions$/\1/p' "$dir/out")" ]

# Words to text and back: from the listing, and from the header.
microcode 0 -d "$dir/words"
says out "match x0, pc | sadd.32 v7, v7, k0 | if miss goto +15"
cp "$dir/out" "$dir/text"
microcode 0 "$dir/text"
says out "samples nothing"
check "the same words" diff <(sed -nE 's/^ +[0-9]+  ([0-9a-f]{16} [0-9a-f]{16})  .*/\1/p' \
	"$dir/out") "$dir/words"
microcode 0 $value -o "$dir/value.h"
silent out
microcode 0 -d "$dir/value.h"
check "the header has the same text" cmp "$dir/out" "$dir/text"
microcode 0 $value -o -
check "the same header" cmp "$dir/out" "$dir/value.h"
stdin=$value microcode 0 -
says out "slot-test"

# A header is C, and has the listing's contents.
cat >"$dir/use.c" <<'END'
#include <stdio.h>
#include "value.h"
int main(void)
{
	for (unsigned i = 0; i < SLOT_TEST_COUNT; i++)
		printf("%016llx %016llx\n", (unsigned long long)slot_test_code[i][0], (unsigned long long)slot_test_code[i][1]);
	return SLOT_TEST_SLOTS != 256 || SLOT_TEST_CLASSES != 1 || slot_test_start[0] != 0 || slot_test_start[1] != 0xffff ||
	       slot_test_fields[0] != 0x11 || slot_test_k[3] != 0x10001 || slot_test_b[1] != 256 || slot_test_t[0] != 0 ||
	       slot_test_v[0] != 0 || slot_test_x[0] != 0;
}
END
gcc -Wall -Wextra -Werror -Wpedantic -std=c11 -o "$dir/use" "$dir/use.c" >"$dir/err" 2>&1
"$dir/use" >"$dir/out"
check "what the header says" [ $? = 0 ]
check "the header's words" cmp "$dir/out" "$dir/words"

# Other values for its numbers.
microcode 0 $value -D SLOTS=64 -D KEEP=0x20 -o "$dir/small.h"
check "SLOTS" grep -q 'SLOT_TEST_SLOTS UINT64_C(64)' "$dir/small.h"
check "what follows from it" grep -q 'SLOT_TEST_THRASH UINT64_C(256)' "$dir/small.h"
check "KEEP" grep -q 'SLOT_TEST_KEEP UINT64_C(32)' "$dir/small.h"
printf 'done\n' >"$dir/2nd-try.mic"
microcode 0 "$dir/2nd-try.mic" -o -
says out "#ifndef MICROCODE__2ND_TRY_H"

# Every program of demos/microcode, and help's example.
for program in demos/microcode/*.mic; do
	microcode 0 "$program"
done
run 0 help microcode
sed -n '/^  \.program/,/^$/{s/^  //p;/^$/q}' "$dir/out" >"$dir/help.mic"
microcode 0 "$dir/help.mic"
says out "4 microinstructions"

# Refusals.
refuses() {
	microcode 125 "${@:2}"
	says err "cyclops: $1"
	check "one line" [ "$(wc -l <"$dir/err")" = 1 ]
	silent out
}
refuses "no file given"
refuses "one file at a time" a b
refuses "$dir/none.mic: No such file" "$dir/none.mic"
refuses "$dir: Is a directory" "$dir"
refuses "-D SLOTS: expected -D NAME=NUMBER" $value -D SLOTS
refuses "-D =3: expected" $value -D =3
refuses "-D SLOTS=3x: '3x' is no number" $value -D SLOTS=3x
refuses "$value: no .equ 'SLOT', whose value was given" $value -D SLOT=3
refuses "$value would be overwritten" $value -o $value
refuses "-d goes with neither" -d $value -o "$dir/x.h"
refuses "unknown option '--outpt'; did you mean '--output'?" $value --outpt x
refuses "/dev/full: No space left" $value -o /dev/full
refuses "$dir/no/x.h: No such file" $value -o "$dir/no/x.h"
printf 'match x0, pc\nmach x0, pc\n' >"$dir/bad.mic"
refuses "$dir/bad.mic:2:1: no operation 'mach'; did you mean 'match'?" "$dir/bad.mic" \
	-o "$dir/bad.h"
check "nothing is written" [ ! -e "$dir/bad.h" ]
# All mistakes are reported, a line each.
printf 'match x0, pc\nmach x0, pc\nmov t0, v1\n.equ A = B\nadd v0, v1, A\ngoto x' >"$dir/bad.mic"
microcode 125 "$dir/bad.mic"
check "each mistake once" diff <(cut -d: -f3-4 "$dir/err") <(printf '2:1\n3:5\n4:10\n6:6\n')
printf 'done\0' >"$dir/bad.mic"
refuses "$dir/bad.mic: not a text: byte 4 is 0" "$dir/bad.mic"
printf '0 1\n2' >"$dir/bad"
microcode 125 -d "$dir/bad"
says err "0000000000000002 has no second word"
printf '0 1\nzz 3' >"$dir/bad"
microcode 125 -d "$dir/bad"
says err "$dir/bad:2: 'zz' is no hexadecimal number"
printf '0 11112222333344445\n' >"$dir/bad"
microcode 125 -d "$dir/bad"
printf '1f 0\n' >"$dir/bad"
microcode 0 -d "$dir/bad"
says out "<no microinstruction: alu.op>"
microcode 0 --help
says out "cyclops microcode FILE"
says out "--disassemble"
finish
