# The models of the predictors, and the guests whose branches and accesses both they and the machine predict.
PREDICT_TESTS := $(BUILD)/tests/predict/replay $(BUILD)/tests/predict/memdep $(BUILD)/tests/predict/traps $(BUILD)/tests/predict/inst_history \
	$(BUILD)/tests/predict/perfect
PREDICT_OBJ := $(patsubst %,$(BUILD)/tests/predict/%.o,replay memdep traps traps_model inst_history perfect bench)
PREDICT_MODEL := $(patsubst %.c,$(BUILD)/%.o,tests/predict/model.c tests/predict/follow.c $(wildcard tests/predict/model_*.c))
test-programs: $(PREDICT_TESTS) build/tests/predict/guest build/tests/predict/memdep_guest build/tests/predict/traps_guest \
	build/tests/predict/perfect_guest

$(BUILD)/tests/predict/replay $(BUILD)/tests/predict/inst_history: $(PREDICT_MODEL)
$(BUILD)/tests/predict/traps: $(BUILD)/tests/predict/traps_model.o
$(PREDICT_TESTS): %: %.o $(BUILD)/tests/predict/bench.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS) -lm

build/tests/predict/%: tests/predict/%.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -nostdlib -ffreestanding \
		-Wl,--no-relax -Wall -Wextra -o $@ $<

-include $(PREDICT_OBJ:.o=.d) $(PREDICT_MODEL:.o=.d)

# Its models run for longer than it takes to optimize them.
$(BUILD)/tests/predict/%.o: ALL_CFLAGS += $(if $(filter build/release,$(BUILD)),-O1)
