# The micro-programs of tests/timing/run.sh.

TIMING := $(BUILD)/tests/timing/timing
TIMING_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/timing/*.c))

test-programs: $(TIMING)

$(TIMING): $(TIMING_OBJ) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS)

-include $(TIMING_OBJ:.o=.d)
