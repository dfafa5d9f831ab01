# Bare-metal programs for tests/bare/run.sh, of 64 and of 32 bits.

BARE_TEST := build/tests/bare
BARE_FLAGS := -O1 -g -mcmodel=medany -nostdlib -static -ffreestanding -fno-pie -no-pie -fno-stack-protector -Wl,--build-id=none -Wl,-Ttext-segment=0x80000000

test-programs: $(BARE_TEST)/rv64 $(BARE_TEST)/rv32

$(BARE_TEST)/rv64: BARE_ISA := -march=rv64gc -mabi=lp64d
$(BARE_TEST)/rv32: BARE_ISA := -march=rv32gc -mabi=ilp32d
$(BARE_TEST)/%: tests/bare/start.S tests/bare/main.c | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) $(BARE_ISA) $(BARE_FLAGS) -o $@ $^
