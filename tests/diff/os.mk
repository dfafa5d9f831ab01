OS_GUESTS := $(patsubst tests/%.c,build/tests/%,$(filter-out %_system.c,$(wildcard tests/diff/os/*.c)))
test-programs: $(OS_GUESTS)

$(OS_GUESTS): build/tests/diff/os/%: tests/diff/os/%.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -Wno-unused-result -Wno-missing-field-initializers -Wl,--no-warn-execstack -o $@ $(filter %.c,$^) -lm
build/tests/diff/os/libc: tests/diff/os/libc_system.c tests/diff/os/libc.h
# The same calls on the host itself, the reference.
test-programs: build/tests/diff/os/refusals.host
build/tests/diff/os/refusals.host: tests/diff/os/refusals.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -O1 -Wall -Wextra -Wno-missing-field-initializers -o $@ $<
