test-programs: build/tests/limits/kernels build/tests/limits/calls

build/tests/limits/kernels build/tests/limits/calls: build/tests/limits/%: tests/limits/%.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -o $@ $<
