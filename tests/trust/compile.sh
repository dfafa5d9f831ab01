#!/bin/bash
# A source that is compiled reads the compiler's own files and the program's, and no other file of
# the host: with the C compiler, its assembler, and ours. Names that begin with '-', '+' or '@' are
# files, whatever lies beside them.
within=build/tests
. tests/lib.sh
cd "$dir" || exit 1
export XDG_CACHE_HOME=$dir/cache HOME=$dir/home
mkdir cache home work given
echo 'the secret of this host' >secret
echo '#define ANSWER 42' >given/answer.h
echo '#define ANSWER 41' >work/answer.h
cd work || exit 1
ln -s ../secret leads-out
printf '.macro take name\n.data\ntext: .incbin "\\name"\n.byte 0\n.text\n.endm\n' >take.inc
program() { printf '%s\nextern char text[];\nint puts(const char *);\nint main(void)\n{\n\tputs(text);\n\treturn 0;\n}\n' "$1"; }
taking() { program "__asm__(\".data\\ntext: .incbin \\\"$1\\\"\\n.byte 0\\n.text\");"; }

# ---- files outside ----
allowed='a compiler may read its own files, the current directory and folders of --dir'
refused() {
	run 125 run "$@"
	silent out
	check "the secret is not printed" [ "$(grep -c 'the secret' "$dir/err")" = 0 ]
}
for path in "$dir/secret" ../secret /etc/passwd /proc/1/environ "$HOME/../secret"; do
	taking "$path" >asks.c
	refused asks.c
	says err "$allowed"
	printf '#include "%s"\nint main(void) { return 0; }\n' "$path" >asks.c
	refused asks.c
	says err "$allowed"
	printf '.globl _start\n.data\ntext: .incbin "%s"\n.text\n_start: nop\n' "$path" >asks.S
	refused --cc 'riscv64-linux-gnu-gcc -nostdlib -static' asks.S
	says err "$allowed"
	cp asks.S asks.s
	refused asks.s
	says err 'lies outside of the present folder'
	sed 's/.incbin/.include/' asks.S >asks.s
	refused asks.s
done
taking leads-out >asks.c
refused asks.c
# Neither a program of the host nor the list of its libraries.
for path in /usr/bin/env /bin/sh /etc/ld.so.cache /etc/alternatives/README /usr/lib/os-release; do
	taking "$path" >asks.c
	refused asks.c
	printf '#if __has_include("%s")\nint main(void) { return 1; }\n#else\nint main(void) { return 0; }\n#endif\n' \
		"$path" >asks.c
	run 0 run asks.c
done
# It writes nothing but the program.
printf 'int main(void) { return 0; }\n' >plain.c
refused --cc "riscv64-linux-gnu-gcc -static -Wl,-Map=$dir/map" plain.c
check "no file is made elsewhere" [ ! -e "$dir/map" ]
# By a plug-in of gcc's, of which it has no file: it may not be found either.
refused --cc 'riscv64-linux-gnu-gcc -static -fplugin=../secret' plain.c

# ---- files inside ----
echo 'what the program may see' >inside
taking inside >asks.c
run 0 run asks.c
says out 'what the program may see'
printf '#include "answer.h"\nint main(void) { return ANSWER; }\n' >answer.c
run 41 run answer.c
printf '#include "%s/given/answer.h"\nint main(void) { return ANSWER; }\n' "$dir" >answer.c
run 125 run answer.c
run 42 run --dir "/given=$dir/given" answer.c
printf '#include <answer.h>\nint main(void) { return ANSWER; }\n' >answer.c
run 42 run --cc "riscv64-linux-gnu-gcc -static -I$dir/given" answer.c
run 42 run --cc "riscv64-linux-gnu-gcc -static -I ../given" answer.c
cp plain.c "$dir/elsewhere.c"
run 0 run ../elsewhere.c
check "nothing is left but programs" [ -z "$(find "$XDG_CACHE_HOME" -name 'new-*')" ]

# ---- no other file replaces a header ----
echo '#define WHAT 44' >header.h
echo '#define WHAT 43' >planted.h
printf '#include "header.h"\nint main(void) { return WHAT; }\n' | tee what.c >what.cc
printf 'int main(void) { return WHAT; }\n' >what-not.c
riscv64-linux-gnu-gcc -O2 -g -static -x c-header planted.h -o header.h.gch
check "the compiler takes it by itself" [ "$(riscv64-linux-gnu-gcc -O2 -g -static -E -fpch-preprocess what.c | grep -c gch)" = 1 ]
run 44 run what.c
run 44 run --cc "/usr/bin/env riscv64-linux-gnu-gcc -O2 -g -static -include ./header.h" what-not.c
riscv64-linux-gnu-g++ -O2 -g -static -x c++-header planted.h -o header.h.gch
run 44 run what.cc
rm header.h header.h.gch

# ---- names ----
printf 'int main(void) { return 7; }\n' >seven
for name in -x.c +x.c @x.c '@a b.c' '-o.c' '--help.c' "-'\"\$x.c" '-fplugin=x.c'; do
	cp seven "./$name"
	# The name's file if it is taken for a file of options.
	printf '%s\n' '-wrapper ./wrapper plain.c' >"${name#?}"
	printf '#!/bin/sh\ntouch PWNED\nexec "$@"\n' >wrapper
	chmod +x wrapper
	run 7 run -- "$name"
	run 7 run "./$name"
	run 7 run --cc 'riscv64-linux-gnu-g++ -x c -static' "./$name"
	check "nothing of it is executed" [ ! -e PWNED ]
	rm -f "./$name" "./${name#?}"
done
cp seven @x.c
run 7 run @x.c
run 0 --batch -e 'list main' @x.c
says out 'return 7'
mkdir @folder
echo '#define SEVEN 7' >@folder/seven.h
printf '#include "seven.h"\nint main(void) { return SEVEN; }\n' >@folder/@x.c
run 7 run @folder/@x.c
printf '.globl _start\n_start: li a0, 7\nli a7, 93\necall\n' >@x.s
run 7 run @x.s
cp @x.s ./-x.s
run 7 run -- -x.s
run 7 run ./-x.s

# ---- a child's own files, and no more ----
cat >"$dir/reports" <<'END'
#!/bin/sh
for n in 3 4 5 6 7 8 9; do eval "cat <&$n" >&2; done 2>/dev/null
[ -e /proc/self ] && echo 'secret: it sees /proc' >&2
exec riscv64-linux-gnu-gcc "$@"
END
chmod +x "$dir/reports"
exec 9<"$dir/secret"
check "another child has it" [ "$(sh -c 'cat <&9')" = 'the secret of this host' ]
exec 9<"$dir/secret"
run 0 run --cc "$dir/reports -static" plain.c
check "no descriptor of ours or of others" [ "$(grep -c secret "$dir/err")" = 0 ]
exec 9<&-

# ---- a compiler's output ---- hides: no control characters for the terminal, in either stream.
hides() {
	check "nothing for a terminal" [ "$(cat "$dir/out" "$dir/err" | tr -d '\n\t' |
		LC_ALL=C grep -cP '[\x00-\x1f\x7f]|\xe2\x80\xae')" = 0 ]
}
printf '__asm__(".print \\"\\033]0;PWNED\\007\\"");\n#warning "a \033[2J b"\nint main(void) { return 0; }\n' >says.c
run 0 run says.c
says err 'PWNED'
says err 'a �[2J b'
hides
printf 'int missing\033(void);\n' >says.c
run 125 run says.c
says err 'says.c does not compile'
hides
name=$'turned \u202ec.\033.c'
printf 'int missing(void);\nint main(void) { return missing(); }\n' >"$name"
run 125 run "$name"
says err "undefined reference to \`missing'"
hides
rm "$name"
# A line longer than memory, and a child of the compiler's that outlives it.
printf '#!/bin/sh\nyes | tr -d "\\n" | head -c 100000000\nsleep 60 &\necho "\n$!"\nexit 3\n' >"$dir/endless"
chmod +x "$dir/endless"
command='cyclops run with a compiler that writes without end'
(ulimit -v $((96 << 10)) && "$CYCLOPS" run --cc "$dir/endless" plain.c) 2>&1 | tail -n 2 >"$dir/out"
says out "cyclops: plain.c does not compile with $dir/endless"
check "its child is not waited for" kill "$(head -n 1 "$dir/out")"
printf '__asm__(".data; .skip 0x18000000, 1; .text");\nint main(void) { return 0; }\n' >large.c
run 125 run large.c
says err 'does not compile with riscv64-linux-gnu-gcc -O2 -g -static: a file that a compiler writes may have 256 MiB at most'
printf '#!/bin/sh\nulimit -t\nulimit -d\nexit 3\n' >"$dir/limits"
chmod +x "$dir/limits"
run 125 run --cc "$dir/limits" plain.c
says err '120
'
[[ ${BUILD:-} == *@(asan|breaks)* ]] || says err '4194304
'

# ---- named pipes, which no process writes to ----
mkfifo pipe pipe.c pipe.S
printf '#include "pipe"\nint main(void) { return 0; }\n' >waits.c
printf '\t.globl main\nmain:\n\tret\n\t.data\n\t.incbin "pipe"\n' >waits.S
for name in waits.c waits.S; do
	run 125 run $name
	says err "$name includes a pipe, not a file"
done
for name in pipe.c pipe.S; do
	run 125 run $name
	says err "$name: a pipe, not a file"
done
rm pipe pipe.c pipe.S

# ---- variables of a compiler ----
printf '#include <stdio.h>\nint main(void) { puts(__DATE__ " " __TIME__); }\n' >date.c
run 0 run date.c
says out 'Jan  1 1970 00:00:00'
SOURCE_DATE_EPOCH=86400 run 0 run date.c
says out 'Jan  2 1970 00:00:00'
for name in GCC_ROOT=. DEPENDENCIES_OUTPUT=made SUNPRO_DEPENDENCIES=made "CPATH=$dir/given" \
	GCC_EXTRA_DIAGNOSTIC_OUTPUT=fixits-v1 CCC_OVERRIDE_OPTIONS=+-v "LD_PRELOAD=$dir/secret" \
	"LD_LIBRARY_PATH=$dir" "LD_AUDIT=$dir/secret" "COMPILER_PATH=$dir" "GCC_EXEC_PREFIX=$dir/" \
	CCACHE_PREFIX=./wrapper CCACHE_COMPILER=here/gcc; do
	printf '#!/bin/sh\nenv >&2\nexec riscv64-linux-gnu-gcc "$@"\n' >"$dir/tells"
	chmod +x "$dir/tells"
	command="env $name cyclops run plain.c"
	env "$name" "$CYCLOPS" run --cc "$dir/tells -static" plain.c >"$dir/out" 2>"$dir/err"
	check "it compiles" [ $? = 0 ]
	check "it is not handed on" [ "$(grep -c "^${name%%=*}=" "$dir/err")" = 0 ]
	check "no file is made" [ ! -e made ]
done
CCACHE_DIR=$dir/ccache LC_ALL=C run 0 run --cc "$dir/tells -static" plain.c
says err "CCACHE_DIR=$dir/ccache"
says err 'LC_ALL=C'

# ---- on a host that can't confine it a note is printed ----
if strace -f -o "$dir/log" -e inject=unshare:error=EPERM -e trace=unshare true 2>"$dir/err"; then
	command='cyclops run plain.c, where there are neither namespaces nor Landlock'
	strace -f -o "$dir/log" -e inject=unshare:error=EPERM \
		-e inject=landlock_create_ruleset:error=ENOSYS "$CYCLOPS" run plain.c \
		>"$dir/out" 2>"$dir/err"
	check "the program runs" [ $? = 0 ]
	check "it is said once" [ "$(grep -c 'has neither user namespaces nor Landlock' "$dir/err")" = 1 ]
	# One of them is enough.
	taking ../secret >asks.c
	for lacks in unshare:error=EPERM landlock_create_ruleset:error=ENOSYS; do
		command="cyclops run asks.c, without ${lacks%%:*}"
		strace -f -o "$dir/log" -e "inject=$lacks" "$CYCLOPS" run asks.c >"$dir/out" \
			2>"$dir/err"
		check "it does not compile" [ $? = 125 ]
		says err 'asks.c does not compile'
		check "and nothing is said of the host" \
			[ "$(grep -c 'has neither' "$dir/err")" = 0 ]
	done
fi
finish
