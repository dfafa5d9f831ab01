PAPER_TESTED := chess regex
test-programs: $(foreach kind,$(PAPER_KINDS),$(PAPER_TESTED:%=build/demos/papers/%-$(kind).elf))
test-programs: $(PAPER_SAMPLERS) $(PAPER_RESAMPLERS) $(PAPER_REASONS) $(PAPER_ESTIMATE) build/demos/papers/ammons1997/regex build/demos/papers/ammons1997/fft
test-programs: $(PAPER_BURROWS) $(PAPER_SPECIAL) $(PAPER_TOUCH) build/demos/papers/ammons1997/compress
test-programs: build/tests/papers/types
build/tests/papers/types: tests/papers/models/types.cc
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-g++ -O1 -fno-devirtualize -static -Wall -Wextra -o $@ $<
