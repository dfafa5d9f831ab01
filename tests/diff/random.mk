# The generator and the comparer of tests/diff/run.sh.

RANDOM_DIR := $(BUILD)/tests/diff/random
RANDOM_GEN_OBJ := $(addprefix $(RANDOM_DIR)/,gen.o items.o items_xprof.o emit.o)

test-programs: $(RANDOM_DIR)/gen $(RANDOM_DIR)/compare

$(RANDOM_DIR)/gen: $(RANDOM_GEN_OBJ) $(LIB)
$(RANDOM_DIR)/compare: $(RANDOM_DIR)/compare.o $(LIB)
$(RANDOM_DIR)/gen $(RANDOM_DIR)/compare:
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS)

-include $(RANDOM_GEN_OBJ:.o=.d) $(RANDOM_DIR)/compare.d
