test-programs: build/tests/cli/guest

build/tests/cli/guest: tests/cli/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -o $@ $<
