# The co-processor's engine in plain Lua, where its reference runs beside it; and a whole machine, for references of microprograms.
COP_TESTS := $(BUILD)/tests/cop/micro_host $(BUILD)/tests/cop/record_host
test-programs: $(COP_TESTS)

$(COP_TESTS): %: %.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS)

-include $(COP_TESTS:=.d)

# Of test_conflicts.lua, of test_values.lua, of test_stacks.lua.
test-programs: build/tests/cop/threec build/tests/cop/phases build/tests/cop/stacks
build/tests/cop/threec build/tests/cop/phases build/tests/cop/stacks: build/tests/cop/%: tests/cop/%.c | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) $(DEMO_ARCH) -std=gnu17 -O1 -static -o $@ $<

# A program with known counts. No libc; two parts of it 0x40000 apart.
test-programs: build/tests/cop/known
build/tests/cop/known: tests/cop/known.S | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -g -static -nostdlib -Wl,--section-start=.near=0x18000,--section-start=.far=0x58000 -o $@ $<
