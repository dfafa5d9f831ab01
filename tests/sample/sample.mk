# A program whose CPI repeats with a period.
test-programs: build/tests/sample/periodic
build/tests/sample/periodic: tests/sample/periodic.c demos/programs/programs.mk | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 $(DEMO_CFLAGS) $(DEMO_ARCH) $(DEMO_WARN) -ffreestanding -nostdlib -static -o $@ $<
