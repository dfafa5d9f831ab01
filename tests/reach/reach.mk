# A program with source lines that can be instrumented.
test-programs: build/tests/reach/guest
build/tests/reach/guest: tests/gdb/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -g -O0 -static -Wl,--emit-relocs -o $@ $<
