# The co-processor's engine in plain Lua, where its reference runs beside it.
COP_TESTS := $(BUILD)/tests/cop/micro_host
test-programs: $(COP_TESTS)

$(COP_TESTS): %: %.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

-include $(COP_TESTS:=.d)
