test-programs: build/tests/diff/os/guest

build/tests/diff/os/guest: tests/diff/os/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -Wno-unused-result -o $@ $< -lm
