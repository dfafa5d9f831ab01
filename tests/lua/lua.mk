test-programs: build/tests/lua/guest

build/tests/lua/guest: tests/lua/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -nostdlib -nostartfiles -Wl,--no-relax -o $@ $<
