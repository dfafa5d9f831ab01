test-programs: build/tests/hints/planted

build/tests/hints/planted: tests/hints/planted.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -o $@ $<
