# Programs that `make bench` measures with, beside the program itself.
BENCHES := $(addprefix $(BUILD)/tests/bench/,history hooks compress keys)
KERNELS := $(patsubst tests/bench/kernels/%.c,build/tests/bench/%,$(wildcard tests/bench/kernels/*.c))

bench-programs: $(BENCHES) build/tests/bench/large $(KERNELS)

$(BENCHES): %: %.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

build/tests/bench/large: tests/bench/large.c
$(KERNELS): build/tests/bench/%: tests/bench/kernels/%.c
build/tests/bench/large $(KERNELS):
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O2 -g -static -Wall -Wextra -o $@ $<

-include $(BENCHES:=.d)
.PHONY: bench-programs
