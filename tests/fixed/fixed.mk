# The targets of `make fuzz`, each with a fixed list of inputs, in any flavour.
FIXED := $(patsubst tests/fuzz/fuzz_%.c,$(BUILD)/tests/fixed/%,$(wildcard tests/fuzz/fuzz_*.c))
test-programs: $(FIXED) build/tests/lua/guest build/tests/cmd/guest build/tests/cmd/contexts

$(FIXED): $(BUILD)/tests/fixed/%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/tests/fixed/fixed.o $(FUZZ_SHARED) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS)

-include $(BUILD)/tests/fixed/fixed.d
