# The tests of Xprof: programs like the unit tests, in a folder of their own because they share a bench.
XPROF := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/xprof/test_*.c))
test-programs: $(XPROF)

$(XPROF): $(BUILD)/tests/xprof/%: $(BUILD)/tests/xprof/%.o $(BUILD)/tests/cases.o $(BUILD)/tests/xprof/bench.o $(BUILD)/tests/xprof/model.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

$(BUILD)/tests/xprof/test_bdt $(BUILD)/tests/xprof/test_bdt_blocks: $(BUILD)/tests/xprof/bdt_rounds.o
$(BUILD)/tests/xprof/test_predict: $(BUILD)/tests/reverse/plugins.o
$(BUILD)/tests/xprof/test_random: $(addprefix $(BUILD)/tests/,reverse/plugins.o xprof/checks.o xprof/random.o diff/random/items.o diff/random/items_xprof.o diff/random/emit.o)

-include $(XPROF:=.d) $(patsubst %,$(BUILD)/tests/xprof/%.d,bench model checks random)
