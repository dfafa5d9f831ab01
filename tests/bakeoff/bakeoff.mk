# The programs of tests/bakeoff/stop.lua and perfect.lua.

test-programs: build/tests/bakeoff/segments build/tests/bakeoff/ways

build/tests/bakeoff/%: tests/bakeoff/%.c | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) $(DEMO_ARCH) -std=gnu17 -O1 -static -Wl,--emit-relocs -o $@ $<
