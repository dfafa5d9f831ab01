#!/bin/bash
# Variables by debug information that is damaged: whatever is said of them, nothing dies, hangs or takes much memory.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

count=60
[ "${CYCLOPS_TEST_SCALE:-full}" = full ] || count=24
# A finding of a sanitizer is no other status's.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:exitcode=99 UBSAN_OPTIONS=${UBSAN_OPTIONS:-}:exitcode=99

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
	riscv64-linux-gnu-gcc -std=gnu17 -g "$flags" -static -nostdlib -ffreestanding -fno-builtin -Wl,--no-relax -march=rv64gc -o "$dir/types$flags" \
		tests/cvars/types.c "$dir/start.c" 2>"$dir/err"
	check "types.c compiles with $flags" [ -x "$dir/types$flags" ]
done

# So many KiB at most, of what there is to map; sanitizers map all there is.
[[ $BUILD == *asan* ]] || ulimit -v $((2 << 20))
answered=0 worst=
asks='lua for _, c in ipairs{"view locals", "info args", "info locals", "print table", "print packed", "print table[1][2]", "ptype struct all",
	"whatis packed", "print color", "print level", "set level = 3", "watch level", "backtrace", "view source", "up", "info locals", "view locals"}
	do print(pcall(m.cmd, m, c)) end'
asks=${asks//$'\n'/}
for seed in $(seq "$count"); do
	flags=-O0
	[ $((seed % 2)) = 0 ] || flags=-O2
	section=$(python3 tests/cvars/damaged.py "$dir/types$flags" "$seed" "$dir/damaged")
	timeout 60 "$CYCLOPS" --no-init --batch -e 'break *mixed' -e 'break *deep' -e continue -e 'stepi 15' -e "$asks" \
		-e continue -e 'stepi 12' -e "$asks" "$dir/damaged" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	case $status in
	0 | 1 | 125) ;;
	*) worst="$worst seed $seed ($section, $flags): status $status;" ;;
	esac
	grep -q 'true.*= ' "$dir/out" && answered=$((answered + 1))
done
check "none dies:$worst" [ -z "$worst" ]
check "most answer something: $answered" [ "$answered" -gt $((count / 2)) ]
finish
