#!/bin/bash
# Fills a folder with small real programs for fuzz_loader to start from.
#
#   tests/fuzz/seeds_loader.sh FOLDER
set -eu
out=${1:?usage: tests/fuzz/seeds_loader.sh FOLDER}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/guest.c" <<'END'
int table[3] = { 1, 2, 3 };
static int zeros[64];
__attribute__((noinline)) int add(int a, int b)
{
	return a + b + zeros[a & 7];
}
__attribute__((noinline)) int sum(int n)
{
	if (n <= 0)
		return 0;
	return add(table[n % 3], sum(n - 1));
}
void _start(void)
{
	sum(4);
	for (;;)
		;
}
END
cat >"$work/guest.S" <<'END'
	.globl _start
_start:
	call work
	ebreak
work:
	addi sp, sp, -16
	sd ra, 8(sp)
	la t1, case1
	jr t1
case1:
	ld ra, 8(sp)
	addi sp, sp, 16
	ret
END

# Each is as small as the linker allows, so that most mutations hit relevant bytes.
small="-static -nostdlib -Wl,--build-id=none,-z,noseparate-code,-z,norelro -fno-ident"
build() {
	riscv64-linux-gnu-gcc $small "${@:2}" -o "$out/$1"
}
cd "$work"
build plain.elf -O1 guest.c
build stripped.elf -O2 -s -fno-asynchronous-unwind-tables guest.c
build symbols.elf -O1 -fno-asynchronous-unwind-tables guest.c
build eh_frame.elf -O2 -fasynchronous-unwind-tables -Wl,--eh-frame-hdr guest.c
build dwarf5.elf -O1 -g -gdwarf-5 guest.c
build dwarf4.elf -O1 -g -gdwarf-4 guest.c
build dwarf2.elf -O0 -g -gdwarf-2 -gstrict-dwarf -fno-asynchronous-unwind-tables guest.c
build compressed.elf -O1 -g -gz=zlib guest.c
build line_only.elf -g1 guest.c
build types.elf -g -fdebug-types-section guest.c
build relocations.elf -O2 -g -Wl,--emit-relocs guest.c
build relocations_eh.elf -O2 -fasynchronous-unwind-tables -Wl,--eh-frame-hdr,--emit-relocs guest.c
build relocations_S.elf -Wl,--emit-relocs guest.S
build assembly.elf guest.S
build assembly_g.elf -g guest.S
build frame_pointer.elf -O0 -fno-asynchronous-unwind-tables -fno-omit-frame-pointer guest.c
riscv64-linux-gnu-gcc -static-pie -nostdlib -fPIE -Wl,--no-dynamic-linker,--build-id=none -O1 \
	-g guest.c -o "$out/pie.elf"
riscv64-linux-gnu-gcc -nostdlib -shared -fPIC guest.c -o "$out/shared.elf"
riscv64-linux-gnu-gcc -c guest.c -o "$out/object.elf"
