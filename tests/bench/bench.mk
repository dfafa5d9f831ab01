# What `make bench` measures with, beside the program itself.
bench-programs: $(BUILD)/tests/bench/history $(BUILD)/tests/bench/hooks $(BUILD)/tests/bench/compress build/tests/bench/large

$(BUILD)/tests/bench/history $(BUILD)/tests/bench/hooks $(BUILD)/tests/bench/compress: %: %.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

build/tests/bench/large: tests/bench/large.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O2 -g -static -Wall -Wextra -o $@ $<

-include $(BUILD)/tests/bench/history.d $(BUILD)/tests/bench/hooks.d $(BUILD)/tests/bench/compress.d
.PHONY: bench-programs
