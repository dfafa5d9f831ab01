#!/bin/bash
# The built-in assembler makes the same bytes as GNU as and ld: from generated programs
# (generate.py), from gcc's assembly of the demo programs, and from the scenarios. Without link-time
# relaxation, which GNU's assembler leaves to its linker.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
# Lines of each generated program, and the number of programs.
case ${CYCLOPS_TEST_SCALE:-full} in
small) lines=300 seeds=3 levels=(O2) ;;
full) lines=500 seeds=10 levels=(O2 O0) ;;
long) lines=2000 seeds=100 levels=(O0 O1 O2 O3 Os) ;;
esac

march=rv64gc_zihintpause_zba_zbb_zbc_zbs_zbkb_zfh_zicbom_zicbop_zicboz

# The sections of a program, one file.
sections() {
	local s
	for s in .text .rodata .data; do
		echo "$s"
		riscv64-linux-gnu-objcopy -O binary -j $s "$1" "$dir/section" 2>"$dir/err" &&
			cat "$dir/section"
		rm -f "$dir/section"
	done
}

# compare NAME FILE.s OPTION...
compare() {
	local name=$1 file=$2
	shift 2
	local status=0
	riscv64-linux-gnu-as "${@:--march=$march}" -mno-relax \
		-o "$dir/o" "$file" 2>"$dir/err" &&
		riscv64-linux-gnu-ld --no-relax -T tests/asm/link.ld -o "$dir/gnu" "$dir/o" \
		2>>"$dir/err" || status=1
	command="as and ld, $name"
	check "GNU's tools should take it" [ $status = 0 ]
	run 0 asm -o "$dir/own" ${1:+-w} "$file"
	sections "$dir/gnu" >"$dir/gnu.bytes"
	sections "$dir/own" >"$dir/own.bytes"
	command="cyclops asm of $name"
	check "sections should be those of GNU as" cmp -s "$dir/gnu.bytes" "$dir/own.bytes"
}

# Defines procedures that a listing calls without a definition, as empty ones; strings stay in
# place.
complete() {
	sed -i 's/"aMS\?",@progbits,[0-9]*/"a",@progbits/' "$1"
	riscv64-linux-gnu-as -march=rv64gc -mno-relax -o "$dir/o" "$1" || return
	{
		echo .text
		grep -q '^_start:' "$1" || printf '.globl _start\n_start:\n'
		riscv64-linux-gnu-nm -u "$dir/o" | awk '{ print ".globl " $2 "\n" $2 ": ret" }'
	} >>"$1"
}

for ((seed = 1; seed <= seeds; seed++)); do
	python3 tests/asm/generate.py "$seed" "$lines" >"$dir/generated.s"
	compare "seed $seed" "$dir/generated.s"
done
sed -i '/c\./d; /\.rept/,/\.endr/d' "$dir/generated.s"
compare "seed $seeds without compressed instructions" "$dir/generated.s" \
	-march=rv64g_zihintpause_zba_zbb_zbc_zbs

# Forms that random programs rarely have.
compare "forms.s" tests/asm/forms.s
compare "macros.s" tests/asm/macros.s
compare "names.s" tests/asm/names.s

# All forms that GNU as accepts, of every instruction and register; only those that shapes.py lists
# with reasons are refused.
if [ "${CYCLOPS_TEST_SCALE:-full}" = long ] || [ -n "${UPDATE:-}" ]; then
	python3 tests/asm/shapes.py "$dir" "$march" >"$dir/shapes.txt"
	[ -z "${UPDATE:-}" ] || cp "$dir/shapes.txt" tests/asm/shapes.txt
	command="tests/asm/shapes.py"
	check "forms are those kept" cmp -s "$dir/shapes.txt" tests/asm/shapes.txt
fi
{
	echo '.section .tdata,"awT"; tv: .word 0; .text; 1:'
	awk 'function forms(  i, j) {
			for (i = 1; i <= names; i++)
				for (j = 1; j <= shapes; j++)
					print ".balign 32; 1: " name[i] " " (shape[j] == "-" ? "" : shape[j])
			names = shapes = 0
		}
		/^\t/ { for (k = 1; k <= NF; k++) shape[++shapes] = $k; next }
		shapes { forms() }
		{ for (k = 1; k <= NF; k++) name[++names] = $k }
		END { forms() }' tests/asm/shapes.txt
} >"$dir/shapes.s"
compare "shapes.txt" "$dir/shapes.s"

# The forms of directives that GNU as takes are taken, but for those with a reason; each alone,
# since some end the text.
while IFS=$'\t' read -r form why; do
	printf '_start:\nli a7,93\necall\n%s\n' "${form//;/$'\n'}" >"$dir/form.s"
	"$CYCLOPS" asm -o "$dir/own" "$dir/form.s" 2>"$dir/err" >"$dir/out"
	status=$?
	command="cyclops asm of $form"
	check "taken, or refused for a reason: '$why'" [ $((status == 0)) = $((${#why} == 0)) ]
	[ "${CYCLOPS_TEST_SCALE:-full}" != long ] ||
		check "GNU as takes it" riscv64-linux-gnu-as -o "$dir/o" "$dir/form.s" \
			2>"$dir/err"
done < <(grep -v '^#' tests/asm/directives.txt)

for level in "${levels[@]}"; do
	for source in demos/programs/*.c demos/programs/small/*.c; do
		riscv64-linux-gnu-gcc "-$level" -fno-pie -w -S -Idemos/include -o "$dir/listing.s" \
			"$source" || continue
		complete "$dir/listing.s"
		compare "$source -$level" "$dir/listing.s"
	done
done

# Scenarios without macros, which are left to the preprocessor and GNU as.
for source in demos/scenarios/*.S; do
	riscv64-linux-gnu-gcc -E -P -o "$dir/scenario.s" "$source"
	grep -q '\.macro\|\.if' "$dir/scenario.s" && continue
	complete "$dir/scenario.s"
	compare "$source" "$dir/scenario.s"
done
finish
