# Reproductions of papers. Included by the Makefile.
PAPERS := vaswani2003 sastry2001 zilles2001 ammons1997 burrows2000 bakeoff
#
# The programs of demos/papers/vaswani2003, build/demos/papers/NAME-KIND.elf: the demo programs with what `cyclops instrument` puts in.
# Loops and functions begin at cache lines in all kinds: what is measured is what profile instructions cost, not where the code
# behind them happens to lie.

PAPER_KINDS := map control loops calls blocks
# Methods that are at work for long are switched in their loops. Calls are counted at entries; there the flag is right already.
PAPER_LOOPS = --units loops --loops "$$$$(sed -n 2p $$(word 2,$$^))"
PAPER_control := --control-only
PAPER_loops = --control-only $(PAPER_LOOPS)
PAPER_calls := --calls
PAPER_blocks = --blocks $(PAPER_LOOPS)
PAPER_NAMES := $(basename $(notdir $(wildcard demos/programs/*.c)))
PAPER_PROGRAMS := $(foreach kind,$(PAPER_KINDS),$(PAPER_NAMES:%=build/demos/papers/%-$(kind).elf))
PAPER_CFLAGS := -falign-functions=32 -falign-loops=32 -falign-jumps=32

build/demos/papers/%.s: demos/programs/%.c demos/papers/papers.mk demos/programs/programs.mk | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 $(DEMO_CFLAGS) $(PAPER_CFLAGS) $(DEMO_ARCH) -ffile-prefix-map=$(CURDIR)=. -S -o $@ $<

build/demos/papers/%-map.elf: build/demos/papers/%.s build/demos/xprof/runtime.o demos/tools/xprof.ld $(XPROF_LUA) | $(XPROF_CYCLOPS)
	$(call say,XPROF,$@)
	$(Q)$(XPROF_CYCLOPS) instrument --map --asm $< -o $(@:.elf=.s)
	$(Q)$(DEMO_CC) $(DEMO_ARCH) -g -static -o $@ $(@:.elf=.s) build/demos/xprof/runtime.o -Wl,-T,demos/tools/xprof.ld -lm

# Which methods are hot.
build/demos/papers/%.hot: build/demos/papers/%-map.elf $(addprefix demos/papers/,inputs.lua guest.lua vaswani2003/hot.lua vaswani2003/programs.lua) | $(XPROF_CYCLOPS)
	$(call say,HOT,$@)
	$(Q)mkdir -p build/demos/papers/input && $(XPROF_CYCLOPS) lua demos/papers/vaswani2003/hot.lua $* build/demos/papers/input >$@

# Only these are instrumented.
define paper_rule
build/demos/papers/%-$(1).elf: build/demos/papers/%.s build/demos/papers/%.hot build/demos/xprof/runtime.o demos/tools/xprof.ld $(XPROF_LUA) | $(XPROF_CYCLOPS)
	$$(call say,XPROF,$$@)
	$$(Q)$(XPROF_CYCLOPS) instrument $(PAPER_$(1)) --functions "$$$$(sed -n 1p $$(word 2,$$^))" --asm $$< -o $$(@:.elf=.s)
	$$(Q)$(DEMO_CC) $(DEMO_ARCH) -g -static -o $$@ $$(@:.elf=.s) build/demos/xprof/runtime.o -Wl,-T,demos/tools/xprof.ld -lm
endef
$(foreach kind,$(filter-out map,$(PAPER_KINDS)),$(eval $(call paper_rule,$(kind))))

# demos/papers/zilles2001: simple sampling at several rates, with room for every pair that it meets.
PAPER_RATES := 61 251 1021
PAPER_SAMPLERS := $(PAPER_RATES:%=build/demos/papers/zilles2001/sample-%.elf)
$(PAPER_SAMPLERS): FIRMWARE_DEFINE = -DN=$(patsubst sample-%.elf,%,$(@F)) -DCAPACITY_LOG2=17
$(PAPER_SAMPLERS): demos/firmware/cop_sample.c $(FIRMWARE_PARTS) demos/firmware/cop.h demos/firmware/cop_profile.h $(MICROCODE) demos/papers/papers.mk
	$(firmware_link)

# The value profile with other turns between two samplings of masked loads; 0: never.
PAPER_RESAMPLES := 0 1 2 8 16 32
PAPER_RESAMPLERS := $(PAPER_RESAMPLES:%=build/demos/papers/zilles2001/resample-%.elf)
$(PAPER_RESAMPLERS): FIRMWARE_DEFINE = -DRESAMPLE=$(patsubst resample-%.elf,%,$(@F))
$(PAPER_RESAMPLERS): demos/firmware/cop_value.c $(FIRMWARE_PARTS) demos/firmware/cop.h demos/firmware/cop_profile.h $(MICROCODE) demos/papers/papers.mk
	$(firmware_link)

# For reasons.lua: turns that the clock never ends, and simple sampling that chooses after the bus.
PAPER_REASONS := $(addprefix build/demos/papers/zilles2001/,no-clock.elf after-61.elf)
build/demos/papers/zilles2001/no-clock.elf: FIRMWARE_DEFINE = -DTURN_CYCLES=1000000000000
build/demos/papers/zilles2001/no-clock.elf: demos/firmware/cop_value.c $(FIRMWARE_PARTS) demos/firmware/cop.h demos/firmware/cop_profile.h $(MICROCODE) demos/papers/papers.mk
	$(firmware_link)
build/demos/papers/zilles2001/after-61.elf: FIRMWARE_DEFINE = -DN=61 -DCAPACITY_LOG2=17 -DAFTER_BUS
build/demos/papers/zilles2001/after-61.elf: demos/firmware/cop_sample.c $(FIRMWARE_PARTS) demos/firmware/cop.h demos/firmware/cop_profile.h $(MICROCODE) demos/papers/papers.mk
	$(firmware_link)
papers-programs: $(PAPER_REASONS)

PAPER_ESTIMATE := build/demos/papers/zilles2001/estimate
$(PAPER_ESTIMATE): demos/papers/zilles2001/estimate.c demos/firmware/cop_profile.h demos/papers/papers.mk | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 $(DEMO_CFLAGS) $(DEMO_ARCH) $(DEMO_WARN) -Idemos/firmware -ffile-prefix-map=$(CURDIR)=. -static -o $@ $<

# demos/papers/ammons1997: the demo programs as the editor takes them.
PAPER_EDITED := $(PAPER_NAMES:%=build/demos/papers/ammons1997/%)
build/demos/papers/ammons1997/%: demos/programs/%.c demos/papers/papers.mk demos/programs/programs.mk | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 $(DEMO_CFLAGS) $(DEMO_ARCH) -ffile-prefix-map=$(CURDIR)=. -static -Wl,--emit-relocs -o $@ $< -lm

# demos/papers/burrows2000
build/demos/papers/burrows2000/%: demos/papers/burrows2000/%.c demos/papers/papers.mk | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 $(DEMO_CFLAGS) $(DEMO_ARCH) $(DEMO_WARN) -ffile-prefix-map=$(CURDIR)=. -static -o $@ $< -lm

# regex, specialised for the value sampler's findings; and unchanged, compiled in the same way.
PAPER_SPECIAL := build/demos/papers/burrows2000/regex-special build/demos/papers/burrows2000/regex-plain
build/demos/papers/burrows2000/regex-special.c: demos/programs/regex.c demos/papers/burrows2000/specialise.patch
	$(Q)mkdir -p $(@D) && patch -s -o $@ $^
build/demos/papers/burrows2000/regex-plain.c: demos/programs/regex.c
	$(Q)mkdir -p $(@D) && cp $< $@
$(PAPER_SPECIAL): build/demos/papers/burrows2000/%: build/demos/papers/burrows2000/%.c demos/papers/papers.mk | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)$(DEMO_CC) -std=gnu17 $(DEMO_CFLAGS) $(DEMO_ARCH) -ffile-prefix-map=$(CURDIR)=. -static -o $@ $< -lm

PAPER_BURROWS := build/demos/papers/burrows2000/fig1
papers-programs: $(PAPER_BURROWS) $(PAPER_SPECIAL)
# demos/papers/burrows2000: touches all lines of L1D, or one line in 33 of L2.
PAPER_TOUCH := build/demos/papers/burrows2000/touch-l1d build/demos/papers/burrows2000/touch-l2
build/demos/papers/burrows2000/touch-l2: TOUCHED := -DBLOCKS=992 -DSTRIDE=2112
$(PAPER_TOUCH): demos/papers/burrows2000/touch.S demos/papers/papers.mk | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) $(DEMO_ARCH) $(TOUCHED) -g -ffile-prefix-map=$(CURDIR)=. -static -nostdlib -no-pie \
		-Wl,--no-relax -Wl,--build-id=none -o $@ $<

papers-programs: $(PAPER_TOUCH)
papers-programs: $(PAPER_EDITED) debian-programs
papers-programs: $(PAPER_PROGRAMS) $(PAPER_SAMPLERS) $(PAPER_RESAMPLERS) $(PAPER_ESTIMATE)

# FACTOR=X multiplies the length of runs (1: the pages in the tree); JOBS=N: N parallel runs.
# SMALL=1: few programs and short runs, as a test.
FACTOR := 0.4
PAPERS_WORDS = $(if $(SMALL),--small,--factor $(FACTOR))
# Processor time with FACTOR=1, in seconds: the sum over parts, a part being the runs of one program
# times their number.
PAPERS_SECONDS := 5300
papers: build/cyclops demos papers-programs ## run the experiments of demos/papers (FACTOR=X times as long as the tree's pages have them) into build/papers; some 40 minutes of one processor, goes on where it was broken off
	$(Q)awk 'BEGIN { printf "papers: about %d minutes of one processor; what was run before with this build is kept\n", $(if $(SMALL),5,$(PAPERS_SECONDS) * $(FACTOR) / 60 + 3) }'
	$(Q)for paper in $(PAPERS); do demos/papers/$$paper/run.sh $(PAPERS_WORDS) || exit; done
	$(Q)if ls build/debian/*.made >/dev/null 2>&1; then build/cyclops lua demos/papers/claims.lua $(PAPERS_WORDS) >build/papers/claims-results.md; fi
	$(Q)build/cyclops lua demos/papers/reasons.lua >build/papers/reasons.md
	$(Q)grep -ho '^Made in [0-9]* s' build/papers/*/*.md | awk '{ s += $$3 } END { printf "papers: all of it in %d minutes of one processor\n", s / 60 + 1 }'

.PHONY: papers papers-programs
