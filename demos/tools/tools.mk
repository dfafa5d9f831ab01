# Instrumented demo programs, the workloads of profile instructions: build/demos/xprof/NAME-KIND.elf of each
# demos/programs/NAME.c. Included by the Makefile.
#
# All kinds come from one compilation, so they differ in what `cyclops instrument` put in and in nothing else, and xprof.ld keeps
# their data at the same addresses. -map, to which only a description of its blocks is added, has the code of the program as it
# is: what the others cost, they cost beside it.

XPROF_KINDS := map blocks calls control
XPROF_blocks := --blocks
XPROF_calls := --calls
XPROF_control := --control-only
XPROF_map := --map
XPROF_NAMES := $(basename $(notdir $(wildcard demos/programs/*.c)))
XPROF_DEMOS := $(foreach kind,$(XPROF_KINDS),$(XPROF_NAMES:%=build/demos/xprof/%-$(kind).elf))
# The instrumenting program: the sanitizers' build checks itself on the way.
XPROF_CYCLOPS := $(if $(filter asan,$(FLAVOUR)),$(BUILD),build/release)/cyclops
XPROF_LUA := $(addprefix scripting/lua/,asm.lua asm_flow.lua asm_loops.lua instrument.lua instrument_command.lua)
XPROF_COMPILE = $(DEMO_CC) -std=gnu17 $(DEMO_CFLAGS) $(DEMO_ARCH) $(DEMO_WARN) -ffile-prefix-map=$(CURDIR)=.

demos: $(XPROF_DEMOS)

build/demos/xprof/%.s: demos/programs/%.c demos/tools/tools.mk demos/programs/programs.mk | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)mkdir -p $(@D) && $(XPROF_COMPILE) -S -o $@ $<

build/demos/xprof/runtime.o: demos/tools/xprof_runtime.c demos/tools/xprof_profile.h demos/tools/tools.mk | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)mkdir -p $(@D) && $(XPROF_COMPILE) -c -o $@ $<

define xprof_rule
build/demos/xprof/%-$(1).elf: build/demos/xprof/%.s build/demos/xprof/runtime.o demos/tools/xprof.ld $(XPROF_LUA) | $(XPROF_CYCLOPS)
	$$(call say,XPROF,$$@)
	$$(Q)$(XPROF_CYCLOPS) instrument $(XPROF_$(1)) --asm $$< -o $$(@:.elf=.s)
	$$(Q)$(DEMO_CC) $(DEMO_ARCH) -g -static -o $$@ $$(@:.elf=.s) build/demos/xprof/runtime.o -Wl,-T,demos/tools/xprof.ld -lm
endef
$(foreach kind,$(XPROF_KINDS),$(eval $(call xprof_rule,$(kind))))
