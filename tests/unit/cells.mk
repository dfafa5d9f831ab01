# Tests of cells share readers: the sources beside them that are no tests.
CELL_READERS := $(filter-out tests/unit/cells/test_%,$(wildcard tests/unit/cells/*.c))

$(BUILD)/tests/unit/cells/libcells.a: $(CELL_READERS:%.c=$(BUILD)/%.o)
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^

$(BUILD)/tests/unit/cells/test_%: $(BUILD)/tests/unit/cells/test_%.o $(BUILD)/tests/cases.o $(BUILD)/tests/unit/cells/libcells.a $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

-include $(CELL_READERS:%.c=$(BUILD)/%.d)
