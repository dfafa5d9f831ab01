#!/bin/bash
# Variables by damaged debug information: any output, but no crash, no hang, and little memory.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

count=60
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || count=24
[ "${CYCLOPS_TEST_SCALE:-full}" != small ] || count=12
# A sanitizer's findings have a status of their own.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:exitcode=99

# Without a C library there is little debug information beside that of the variables.
cat >"$dir/start.c" <<'END'
int main(void);
void _start(void)
{
	register long a0 __asm__("a0") = main();
	register long a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7));
	__builtin_unreachable();
}
END
for flags in -O0 -O2; do
	riscv64-linux-gnu-gcc -std=gnu17 -g "$flags" -static -nostdlib -ffreestanding -fno-builtin \
		-Wl,--no-relax -march=rv64gc -o "$dir/types$flags" \
		tests/cvars/types.c "$dir/start.c" 2>"$dir/err"
	check "types.c compiles with $flags" [ -x "$dir/types$flags" ]
done

# Limits address space to so many KiB; sanitizers map all of it.
[[ $BUILD == *@(asan|breaks)* ]] || ulimit -v $((2 << 20))
answered=0 worst=
asks='lua for _, c in ipairs{"view locals", "info args", "info locals", "print table", "print packed", "print table[1][2]", "ptype struct all",
	"whatis packed", "print color", "print level", "set level = 3", "watch level", "backtrace", "view source", "up", "info locals", "view locals"}
	do print(pcall(m.cmd, m, c)) end'
asks=${asks//$'\n'/}
for seed in $(seq "$count"); do
	flags=-O0
	[ $((seed % 2)) = 0 ] || flags=-O2
	section=$(python3 tests/cvars/damaged.py "$dir/types$flags" "$seed" "$dir/damaged")
	timeout 60 "$CYCLOPS" --no-init --batch -e 'break *mixed' -e 'break *deep' -e continue \
		-e 'stepi 15' -e "$asks" \
		-e continue -e 'stepi 12' -e "$asks" "$dir/damaged" >"$dir/out" 2>"$dir/err" \
		</dev/null
	status=$?
	case $status in
	0 | 1 | 125) ;;
	*) worst="$worst seed $seed ($section, $flags): status $status;" ;;
	esac
	grep -q 'true.*= ' "$dir/out" && answered=$((answered + 1))
done

# Many variables that share a list of many places, none valid here: reading all would take long.
cat >"$dir/lists.S" <<'END'
.globl _start
_start: .word 0x13, 0x13, 0x6f
.section .debug_abbrev
.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 0, 0
.byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0
.byte 3, 0x34, 0, 0x03, 8, 0, 0
.byte 4, 0x34, 0, 0x03, 8, 0x02, 0x17, 0, 0, 0
.section .debug_info
.4byte 2f - 1f
1: .2byte 5
.byte 1, 8
.4byte 0
.byte 1
.8byte _start, 12
.byte 2
.8byte _start, 12
.byte 3
.asciz "seen"
.rept 4000
.byte 4
.asciz "more"
.4byte 0
.endr
.byte 0, 0
2:
.section .debug_loclists
.rept 100000
.byte 8
.8byte 0x1000
.byte 1, 1, 0x31
.endr
.byte 0
END
riscv64-linux-gnu-gcc -nostdlib -static -o "$dir/lists" "$dir/lists.S"
timeout 60 "$CYCLOPS" --no-init --batch -e stepi -e 'info locals' "$dir/lists" >"$dir/out" \
	2>"$dir/err" </dev/null
check "variables that share a list of many places end" [ $? = 0 ]
says out "seen = <optimised out>"
says out "(there may be more: its debug information is damaged, or takes too long to look through)"
check "none dies:$worst" [ -z "$worst" ]
check "most answer something: $answered" [ "$answered" -gt $((count / 2)) ]
finish
