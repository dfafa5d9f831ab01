# The program of tests/bakeoff/stop.lua.

test-programs: build/tests/bakeoff/segments

build/tests/bakeoff/segments: tests/bakeoff/segments.c | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) $(DEMO_ARCH) -std=gnu17 -O1 -static -Wl,--emit-relocs -o $@ $<
