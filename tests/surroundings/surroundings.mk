build/tests/surroundings/guest: tests/surroundings/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -static -Wall -Wextra -o $@ $<

test-programs: build/tests/surroundings/guest
