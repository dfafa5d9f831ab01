# Programs that live from signals.
test-programs: build/tests/signals/guest

build/tests/signals/guest: $(addprefix tests/signals/,guest.c ends.c wrong.c guest.h)
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -Wno-unused-result -Wno-infinite-recursion -o $@ $(filter %.c,$^)
