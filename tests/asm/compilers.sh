#!/bin/bash
# Assembly written by gcc and clang with all usual options assembles here, and runs like the program
# that the compiler links: thread-local storage, position-independent code, switches, debug
# information, aliases, weak symbols.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
gcc=(riscv64-linux-gnu-gcc -ffreestanding -fno-builtin -w -S)
clang=(clang --target=riscv64-linux-gnu -march=rv64gc -ffreestanding -fno-builtin -w -S)
common=(-O0 -O1 -O2 -O3 -Os "-O2 -fPIC" "-O1 -fPIC -g3 -pthread" "-O2 -g" "-O2 -fno-pie"
	"-O2 -ffunction-sections -fdata-sections" "-O2 -mcmodel=medany -fno-pie" "-O2 -x c++")
sets=("${common[@]/#/gcc }" "gcc -O2 -march=rv64g")
command -v clang >"$dir/found" && sets+=("${common[@]/#/clang }" "clang -O2 -mno-relax")

riscv64-linux-gnu-gcc -O1 -w -static -o "$dir/linked" tests/asm/compiled.c
qemu-riscv64 "$dir/linked" >"$dir/expected"
check "the program's own status" [ $? = 42 ]
for set in "${sets[@]}"; do
	read -ra options <<<"$set"
	compiler=("${gcc[@]}")
	[ "${options[0]}" = gcc ] || compiler=("${clang[@]}")
	command=$set
	check "it compiles" \
		"${compiler[@]}" "${options[@]:1}" -o "$dir/listing.s" tests/asm/compiled.c
	run 42 run --functional "$dir/listing.s"
	check "it prints what the linked program does" cmp -s "$dir/out" "$dir/expected"
	run 0 asm -o "$dir/own" "$dir/listing.s"
	command="qemu-riscv64 of $set"
	check "qemu ends it alike" sh -c "qemu-riscv64 $dir/own >$dir/out; [ \$? = 42 ]"
	check "and prints that, too" cmp -s "$dir/out" "$dir/expected"
done
finish
