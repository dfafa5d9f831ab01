# Programs for tests/edit/run.sh and debug.sh: demos, a C++ program, and others, linked so that the
# editor can move their code.

EDIT_TEST := build/tests/edit
EDIT_DEMOS := anagram branchy chess fft hash json linked lisp longjmp nbody regex sort
EDIT_PROGRAMS := $(addprefix $(EDIT_TEST)/,$(EDIT_DEMOS) exceptions unwind busy dispatch)
EDIT_LINK := -static -Wl,--emit-relocs

# Building lua takes as long as all of real.sh; make test-long has it.
test-programs: $(EDIT_PROGRAMS) $(DEBIAN)/gzip.made $(DEBIAN)/bzip2.made

$(EDIT_TEST)/exceptions: tests/edit/exceptions.cc
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-g++ -O2 -g $(DEMO_ARCH) $(EDIT_LINK) -o $@ $<
# A separate program: its handlers run in the emulator only.
build/tests/edit-interrupts: tests/edit/interrupts.c | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 -D_GNU_SOURCE -O2 -g $(DEMO_ARCH) $(EDIT_LINK) -o $@ $<
test-programs: build/tests/edit-interrupts

$(EDIT_TEST)/unwind $(EDIT_TEST)/busy $(EDIT_TEST)/dispatch: $(EDIT_TEST)/%: tests/edit/%.c | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 -D_GNU_SOURCE -O2 -g -fexceptions $(DEMO_ARCH) $(EDIT_LINK) -Wl,--eh-frame-hdr -o $@ $<
define edit_rule
$(EDIT_TEST)/$(basename $(notdir $(1))): $(1) | build/demos/.compiler
	$$(call say,RISCV,$$@)
	$$(Q)mkdir -p $$(@D) && $$(DEMO_CC) -std=gnu17 $$(DEMO_CFLAGS) $$(DEMO_ARCH) $$(EDIT_LINK) -o $$@ $$< -lm
endef
$(foreach demo,$(EDIT_DEMOS),$(foreach source,$(filter %/$(demo).c,$(DEMO_SRC)),$(eval $(call edit_rule,$(source)))))

# Of atomics.sh.
build/tests/edit-atomics: tests/edit/atomics.S | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -nostdlib $(DEMO_ARCH) $(EDIT_LINK) -o $@ $<
build/tests/edit-refusals: tests/edit/refusals.S | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -nostdlib $(DEMO_ARCH) $(EDIT_LINK) -o $@ $<
build/tests/edit-landing: tests/edit/landing.cc | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-g++ -O2 $(DEMO_ARCH) $(EDIT_LINK) -o $@ $<
test-programs: build/tests/edit-atomics build/tests/edit-refusals build/tests/edit-landing

# Generated programs that generated.sh tries with each change.
EDIT_GENERATED := $(addprefix build/tests/edit-generated/,$(shell cat tests/edit/seeds))
test-programs: $(EDIT_GENERATED)
$(EDIT_GENERATED): build/tests/edit-generated/%: tests/edit/generate.py tests/edit/build.sh
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && bash tests/edit/build.sh $* $@

# The program with which contexts.sh compares calling context trees.
test-programs: $(BUILD)/tests/edit/contexts
$(BUILD)/tests/edit/contexts: $(addprefix $(BUILD)/tests/edit/,contexts.o contexts_match.o contexts_reference.o) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS)
-include $(addprefix $(BUILD)/tests/edit/,contexts.d contexts_match.d contexts_reference.d)

# The plug-in with which traced.py follows programs.
test-programs: $(BUILD)/tests/edit/tracer
$(BUILD)/tests/edit/tracer: $(BUILD)/tests/edit/tracer.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS)
-include $(BUILD)/tests/edit/tracer.d

# Programs that mutants.sh changes: with absolute addresses, with pc-relative ones, as the linker
# relaxes them and without; and by clang and lld, if installed.
MUTANT_CC := $(DEMO_CC) -march=rv64gc -mabi=lp64d
MUTANT_CLANG := clang --target=riscv64-linux-gnu -march=rv64gc -mabi=lp64d -fuse-ld=lld
MUTANT_absolute := $(MUTANT_CC) -O2 -fno-pie -no-pie
MUTANT_pic := $(MUTANT_CC) -O2 -fPIE -no-pie
MUTANT_strict := $(MUTANT_CC) -Os -fno-pie -no-pie -mcmodel=medany -fasynchronous-unwind-tables -Wl,--no-relax -Wl,--eh-frame-hdr
MUTANT_clang := clang --target=riscv64-linux-gnu -march=rv64gc -mabi=lp64d -O2 -mcmodel=medium -mno-relax
MUTANT_lld := $(MUTANT_CLANG) -O2 -fno-pie
MUTANT_lldpic := $(MUTANT_CLANG) -O2 -fPIE -mcmodel=medium -fasynchronous-unwind-tables
MUTANTS := absolute pic strict $(if $(shell command -v clang),clang) $(if $(and $(shell command -v clang),$(shell command -v ld.lld)),lld lldpic)
EDIT_MUTANTS := $(addprefix build/tests/edit-mutants/,$(MUTANTS))
test-programs: $(EDIT_MUTANTS)
$(EDIT_MUTANTS): build/tests/edit-mutants/%: tests/edit/mutants.c | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(MUTANT_$*) -ffreestanding -fno-stack-protector -nostdlib $(EDIT_LINK) -o $@ $<
