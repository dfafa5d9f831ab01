test-programs: build/tests/cmd/json_check

build/tests/cmd/json_check: tests/cmd/json_check.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -O1 -Wall -Wextra -o $@ $<

# Without a C library, for the fuzzer: it starts in a few cycles.
fuzz-programs: build/tests/cmd/guest build/tests/cmd/contexts

build/tests/cmd/guest: tests/cmd/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -nostdlib -nostartfiles -Wl,--no-relax -o $@ $<

test-programs: build/tests/cmd/contexts

build/tests/cmd/contexts: tests/cmd/contexts.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -fno-optimize-sibling-calls -nostdlib -nostartfiles -Wl,--no-relax,--emit-relocs -o $@ $<

test-programs: build/tests/cmd/turns

build/tests/cmd/turns: tests/cmd/turns.c
	$(call say,CROSS,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -o $@ $<
test-programs: build/tests/cmd/reads

build/tests/cmd/reads: tests/cmd/reads.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O2 -g -static -Wall -Wextra -o $@ $<

test-programs: build/tests/cmd/asks_time

build/tests/cmd/asks_time: tests/cmd/asks_time.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -nostdlib -nostartfiles -Wall -Wextra -Wl,--no-relax -o $@ $<

test-programs: build/tests/cmd/loops

build/tests/cmd/loops: tests/cmd/loops.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -fno-tree-loop-distribute-patterns -nostdlib -nostartfiles -Wall -Wextra -Wl,--no-relax -o $@ $<

test-programs: build/tests/cmd/waits

build/tests/cmd/waits: tests/cmd/waits.S
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -static -nostdlib -nostartfiles -Wl,--no-relax -o $@ $<
