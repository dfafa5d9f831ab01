# Every statistic counted a second time, and every parameter's effect.
STATS_TESTS := $(BUILD)/tests/stats/recount
STATS_OBJ := $(patsubst %,$(BUILD)/tests/stats/%.o,recount recount_rows watch watch_events charge slots memory formulas effects)
STATS_GUESTS := $(addprefix build/tests/stats/,guest faulting late units)
test-programs: $(STATS_TESTS) $(STATS_GUESTS)

$(BUILD)/tests/stats/recount: $(STATS_OBJ) $(BUILD)/tests/predict/bench.o $(PREDICT_MODEL) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS) -lm

build/tests/stats/faulting: FLAGS := -DTRAPS -DROUNDS=8
build/tests/stats/late: FLAGS := -DLATE -DROUNDS=24
build/tests/stats/guest: FLAGS := -DROUNDS=24
build/tests/stats/units: FLAGS := -DUNITS -DROUNDS=8
$(STATS_GUESTS): tests/stats/guest.S
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -DXPROF $(FLAGS) -g -static -nostdlib -Wl,--no-relax -o $@ $<

-include $(STATS_OBJ:.o=.d)
