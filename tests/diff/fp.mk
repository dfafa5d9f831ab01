# The two halves of tests/diff/fp.sh: the RISC-V guest and the host program that checks its records.

FP_CHECK := $(BUILD)/tests/diff/fp/check
FP_GUEST := $(BUILD)/tests/diff/fp/guest

test-programs: $(FP_CHECK) $(FP_GUEST)

$(FP_CHECK): $(FP_CHECK).o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS)

$(FP_GUEST): tests/diff/fp/guest.c $(wildcard tests/diff/fp/*.h tests/diff/fp/*.def) core/isa/fp_host.h
	$(call say,RVCC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)riscv64-linux-gnu-gcc -march=rv64gc_zfh -O2 -std=gnu17 $(WARN) $(WERROR) -static -I. -o $@ $<

-include $(FP_CHECK).d
