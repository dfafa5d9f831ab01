# The models of the predictors, and the guest whose branches both they and the machine predict.
PREDICT := $(BUILD)/tests/predict/replay
PREDICT_OBJ := $(patsubst %.c,$(BUILD)/%.o,tests/predict/replay.c tests/predict/model.c)
test-programs: $(PREDICT) build/tests/predict/guest

$(PREDICT): $(PREDICT_OBJ) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) -lm

build/tests/predict/guest: tests/predict/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -nostdlib -ffreestanding \
		-Wl,--no-relax -Wall -Wextra -o $@ $<

-include $(PREDICT_OBJ:.o=.d)
