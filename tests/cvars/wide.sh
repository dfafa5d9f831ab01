#!/bin/bash
# Values of more than 64 bits, complex numbers and wide texts: as gdb shows them for the same file.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
export LC_ALL=C.UTF-8

riscv64-linux-gnu-gcc -std=gnu17 -g -O0 -static -march=rv64gc -o "$dir/wide" tests/cvars/wide.c

# Values from the file, read by both without running it: each answer, line for line.
asks=(
	'print pi' 'print large' 'print tiny' 'print none' 'print minus' 'print endless'
	'print -endless' 'print no_number' 'print several' 'print &several[1]'
	'print several[1]@2' 'print pi + 1' 'print pi * 2' 'print pi / 3' 'print -pi'
	'print +pi' 'print pi - tenth' 'print tenth - pi' 'print 5 + minus' 'print pi > 3'
	'print pi == pi' 'print no_number == no_number' 'print pi < tenth' 'print !pi'
	'print !none' 'print pi && 1' 'print pi ? 1 : 2' 'print (int) pi' 'print (double) pi'
	'print (float) pi' 'print (char) pi' 'print (long double) 1.5'
	'print (long double) tenth' 'print (_Bool) 0.5' 'print (long) minus'
	'print (__int128) pi' 'print (__int128) 5' 'print sizeof(long double)'
	'print sizeof pi' 'whatis pi' 'whatis pi + 1' 'whatis pi + tenth' 'ptype several'
	'print &pi' 'print/x pi' 'print/d pi' 'print/u minus' 'print/o pi' 'print/t minus'
	'print/z tiny' 'print/f pi' 'print/c pi' 'print/x several' 'print 1.5L' 'whatis 1.5L'
	'print 1e400L' 'print 0.1L' 'whatis 1.5f' 'print 3 * 1.5f' 'whatis 3 * 1.5f'
	'print 1.5f' 'print sizeof(1.5f)' 'print *(long double *) &several[1]' 'x/2fg &tenth'
	'x/f &half' 'print tenth + 1.0L' 'print z' 'print zf' 'print zl' 'ptype z' 'whatis zf'
	'ptype zl' 'print sizeof z' 'print -z' 'print ~z' 'print +z' 'print !z' 'print z && 1'
	'print z + 1' 'print z + w' 'print z - w' 'print z * w' 'print z / w' 'print z / 2'
	'print zf * 2' 'whatis zf * 2' 'whatis zf + z' 'print zl / zl' 'print z == z'
	'print z != w' 'print $_creal(z)' 'print $_cimag(zl)' 'print (double) z'
	'print (_Complex double) 3' 'print 2i' 'print 1.5i' 'print &z' 'print z@1' 'print wide'
	'print below' 'print most' 'print/x wide' 'print/x below' 'print/d most'
	'print/u below' 'print/t wide' 'print/o wide' 'print/z below' 'ptype wide'
	'whatis most' 'print sizeof wide' 'print bits' 'print bits.a' 'print !bits.b'
	'print bits.a + 1' 'print bits.e' 'print/x bits' 'ptype struct bits'
	'ptype/o struct bits' 'print mix' 'print mix.z' 'ptype struct mix' 'ptype/o struct mix'
	'print/x mix' 'print text' 'print -elements 14 -- same' 'print -elements 11 -- same'
	'print -elements 15 -- same' 'print -elements 3 -- utf8'
	'print -elements 4 -repeats 2 -- same' 'print -elements 3 -repeats unlimited -- same'
	'print letter' 'print text16' 'print text32' 'print letter16' 'print letter32'
	'print same' 'print pointer' 'print pointer16' 'print *pointer' 'print text[0]'
	'print/c text' 'print/x text' 'print/d letter' 'print/s text' 'ptype text'
	'whatis text' 'whatis letter16' 'print pointer[1]@3' 'print pointer + 1'
	'print -elements 3 -- text16' 'print (wchar_t) 65' 'print sizeof(wchar_t)'
	'x/ws pointer' 'x/hs pointer16' 'x/2s utf8' 'print utf8' 'print &utf8'
	'print (char *) utf8' 'print utf8[1]' 'print/x utf8' 'ptype s16' 'whatis s16'
	'print s16' 'ptype many' 'ptype sizes' 'print sizes' 'print BYTE + 1'
	'print flags' 'print other_flags' 'print (enum flags) 0' 'print (enum flags) 12'
	'print sizeof(int[3])' 'print sizeof(char[])' 'print (short[]) word' 'print (short[2]) word'
	'print/x (unsigned char[]) word' 'print (char[4]) word' 'whatis (short[]) word'
	'print 0b101' 'print 012.5' 'print 017' 'print "abcd"[2]' 'print "abcd"[4]'
	'print {4,5,6}' 'print {4,5,6}[2]' 'print {1,2}[1] + 3' 'print/x {10,11}' 'whatis {1,2}'
	'print sizeof({1L,2L})' 'print {1.5,2.5}[1]' "print {'a','b'}" 'x/2bf &word'
	'x/2hf &word' 'print both' 'print (enum both) 0xf1' 'print by_typedef'
	'printf "%s|%8s\n", 0, 0' 'print by_typedef + 1' 'print *by_typedef@2')
for ask in "${asks[@]}"; do
	printf 'echo ?%s\\n\n%s\n' "$ask" "$ask"
done >"$dir/asks"
gdb-multiarch -nx -batch -ex 'set width 0' -x "$dir/asks" "$dir/wide" >"$dir/theirs" 2>&1 </dev/null
run 0 --no-init --batch -x "$dir/asks" "$dir/wide"
for ask in "${asks[@]}"; do
	command=$ask
	one() { awk -v "ask=?$ask" '/^\?/ { on = $0 == ask } on' "$1"; }
	there=$(one "$dir/theirs") here=$(one "$dir/out")
	check "gdb has $there, not $here" [ "$there" = "$here" -a "$there" != "?$ask" ]
done

# Invalid numbers are refused, not left to Lua.
for number in 09 018 0b 18446744073709551616 0x10000000000000000; do
	run 1 --no-init --batch -e "print $number" "$dir/wide"
done

# gdb 13 cannot compute with integers of 128 bits, and prints formatted complex numbers as one
# number; here both work.
while IFS='|' read -r ask answer; do
	run 0 --no-init --batch -e "$ask" "$dir/wide"
	says out "= $answer"
done <<'END'
print wide + 1|1267650600228229401496703205382
print below * 2|-14
print -below|7
print ~below|6
print most / 2|170141183460469231731687303715884105727
print most % 10|5
print wide >> 98|4
print below >> 1|-4
print (__int128)1 << 100|1267650600228229401496703205376
print most == -1|1
print below < 0|1
print most > 0|1
print wide > most|0
print wide & 7|5
print !wide|0
print (int) below|-7
print (long) wide|5
print (long double) wide|1267650600228229401496703205381
print (double) most|3.4028236692093846e+38
print/x z|0x3ff0000000000000 + 0x4000000000000000i
print/f zf|1.5 + -2.25i
END
run 0 --no-init --batch -e 'ptype more' "$dir/wide"
says out 'n298, n299, ...}'
for wrong in 'print pi % 2|takes no floating-point' 'print ~pi|takes no floating-point' \
	'print pi << 1|takes no floating-point' 'print z > 1|takes no complex' \
	'print z % 2|takes no complex' 'print text[wide]|more than 64 bits' \
	'print $_creal(pi)|expected a complex number' 'print wide / 0|division by zero' \
	'print 1.5q|no number' 'print 2ii|no number' 'print (long double[2]) pi|' \
	'print z.x|no members' 'set variable z = bits|no number' \
	'print *pi|points to nothing' \
	"print times::a|times isn't called here: its variables have no values"; do
	run 1 --no-init --batch -e "${wrong%%|*}" "$dir/wide"
	says err "${wrong#*|}"
done

# Setting them; printf.
run 0 --no-init --batch -e 'set var pi = 2.5' -e 'print pi' -e 'print pi++' -e 'print pi += 2.25' \
	-e 'print pi *= 1.0L/3' -e 'set var z = 5' -e 'print z' -e 'set var z = 1.5 + 2i' \
	-e 'print z' \
	-e 'set var zf = z' -e 'print zf' -e 'set var wide = -below' -e 'print wide' \
	-e 'print most = -2' -e 'set var mix.i = 1' -e 'print mix.i' -e 'set var bits.a = 0' \
	-e 'print bits' -e 'set var letter = 66' -e 'print letter' -e 'set $q = pi' \
	-e 'print $q + 1' \
	-e 'set $c = z' -e 'print $c' -e 'printf "%f %g %d\n", several[1], minus, below' \
	-e 'set var several[0] = several[2]' -e 'output several' "$dir/wide"
for text in '$1 = 2.5' '$2 = 2.5' '$3 = 5.75' '$4 = 1.91666666666666666666666666666666654' \
	'$5 = 5 + 0i' '$6 = 1.5 + 2i' '$7 = 1.5 + 2i' '$8 = 7' \
	'$9 = 340282366920938463463374607431768211454' '$10 = 1' '{a = false, b = false, c = 5' \
	"= 66 L'B'" '= 2.91666666666666666666666666666666654' '= 1.5 + 2i' '2.500000 -1.5 -7' \
	'{-3, 2.5, -3}'; do
	says out "$text"
done

# As arguments and results of functions: in pairs of registers of either kind.
for flags in -O0 -O2; do
	riscv64-linux-gnu-gcc -std=gnu17 -g "$flags" -static -march=rv64gc -o "$dir/wide$flags" \
		tests/cvars/wide.c
	run 0 --no-init --batch -o pipe.commit_width=1 -e 'tbreak times' -e continue -e finish \
		-e 'tbreak turned' -e continue -e finish -e 'tbreak small' -e continue -e finish \
		-e 'tbreak product' -e continue -e finish -e 'tbreak in_struct' -e continue \
		-e finish "$dir/wide$flags"
	for text in '(a=1.25, b=3.5)' 'Value returned = 4.375' 'Value returned = 3 + 6i' \
		'(a=1208925819614629174706176, n=-3)' \
		'Value returned = -3626777458843887524118528' 'Value returned = {only = 3}'; do
		says out "$text"
	done
	check 'both complex results' [ "$(grep -c 'returned = 3 + 6i' "$dir/out")" = 2 ]
done
run 0 --no-init --batch -e 'print folded' "$dir/wide-O2"
says out '$1 = 200'
run 1 --no-init --batch -e 'set var folded = 1' "$dir/wide-O2"
says err 'folded: it is optimised out here, only its value is known'
run 0 --no-init --batch -e 'tbreak turned' -e continue "$dir/wide-O0"
says out '(a=1 + 2i, n=3)'
run 0 --no-init --batch -e 'tbreak times if b == 3.5L && a < 1.5' -e continue -e 'watch a' \
	"$dir/wide-O0"
says out 'times+'

finish
