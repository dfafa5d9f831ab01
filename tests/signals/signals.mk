# Programs that live from signals.
test-programs: build/tests/signals/guest

build/tests/signals/guest: tests/signals/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -Wno-unused-result -Wno-infinite-recursion -o $@ $<
