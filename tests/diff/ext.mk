# The two halves of tests/diff/ext.sh: the RISC-V guest and the host program that checks its records.

EXT_CHECK := $(BUILD)/tests/diff/ext/check
EXT_GUEST := build/tests/diff/ext/guest

test-programs: $(EXT_CHECK) $(EXT_GUEST)

$(EXT_CHECK): $(EXT_CHECK).o
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS)

$(EXT_GUEST): $(wildcard tests/diff/ext/guest.c tests/diff/ext/*.h tests/diff/ext/*.def) core/base/hash.h
	$(call say,RVCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)riscv64-linux-gnu-gcc -march=rv64gc_zba_zbb_zbc_zbkb_zbs_zicbop_zihintpause -O2 -std=gnu17 -Wall -Wextra -static -I. -o $@ $<

-include $(EXT_CHECK).d
