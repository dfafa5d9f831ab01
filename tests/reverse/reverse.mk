# The time travel tests: programs like the unit tests, in a folder of their own because they run longer.
REVERSE := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/reverse/test_*.c))
test-programs: $(REVERSE) build/tests/bench/large build/tests/reverse/guest build/tests/reverse/hungry build/tests/reverse/hooked build/tests/reverse/crossing \
		build/tests/reverse/profiled build/tests/reverse/firmware.elf

$(REVERSE): $(BUILD)/tests/reverse/%: $(BUILD)/tests/reverse/%.o $(BUILD)/tests/reverse/rig.o $(BUILD)/tests/reverse/tally.o \
		$(BUILD)/tests/reverse/plugins.o $(BUILD)/tests/reverse/script.o $(BUILD)/tests/reverse/hostile.o \
		$(BUILD)/tests/cases.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

$(BUILD)/tests/reverse/test_hooks $(BUILD)/tests/reverse/test_hook_attachments: $(BUILD)/tests/reverse/hook_rig.o
$(BUILD)/tests/reverse/test_changes $(BUILD)/tests/reverse/test_changes_refused: $(BUILD)/tests/reverse/change_list.o
$(BUILD)/tests/reverse/test_oracle: $(BUILD)/tests/reverse/account.o

# Its allocations can be made to fail.
FAILING := $(addprefix $(BUILD)/tests/reverse/test_,save_failures host_memory host_memory_views)
$(FAILING): $(BUILD)/tests/reverse/failing_memory.o
$(FAILING): private ALL_LDFLAGS += \
	$(foreach f,malloc calloc realloc aligned_alloc strdup fdopen fopen,-Wl,--wrap=$(f))

build/tests/reverse/guest build/tests/reverse/hungry build/tests/reverse/hooked build/tests/reverse/crossing: build/tests/reverse/%: tests/reverse/%.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -nostdlib -ffreestanding \
		-fno-builtin-memset -Wl,--no-relax -Wall -Wextra -o $@ $<

build/tests/reverse/profiled: tests/reverse/profiled.c demos/include/xprof.h
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -I. -static -nostdlib -ffreestanding -fno-builtin-memset \
		-Wl,--no-relax,-N,--no-warn-rwx-segments -Wall -Wextra -o $@ $<

# The pc-sampling demo, with an interrupt every few hundred instructions.
build/tests/reverse/firmware.elf: demos/firmware/pcprofile.c $(FIRMWARE_PARTS) | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 $(FIRMWARE_CFLAGS) -DPERIOD=257 -nostdlib -static -no-pie \
		-Wl,--build-id=none -T demos/firmware/firmware.ld -o $@ demos/firmware/crt.S $<

-include $(REVERSE:=.d) $(patsubst %,$(BUILD)/tests/reverse/%.d,rig tally plugins script hostile failing_memory)
