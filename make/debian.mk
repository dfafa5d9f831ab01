# Real programs, built from Debian's sources (make/debian.sh): build/debian/NAME of those in demos/workloads/workloads.txt. Included by the Makefile.

DEBIAN := build/debian
DEBIAN_TABLE := demos/workloads/workloads.txt
DEBIAN_PROGRAMS := $(addprefix $(DEBIAN)/,gzip bzip2 lua)
WORKLOADS := $(addprefix $(DEBIAN)/,$(shell grep -o '^[a-z][a-z0-9_]*$$' $(DEBIAN_TABLE)))

debian-programs: $(DEBIAN_PROGRAMS:=.made) ## fetch gzip, bzip2 and lua from Debian's sources, and build them for the machine in build/debian

# Where there is no way to Debian's mirrors, .skipped stands in for the program, and the next make tries again.
$(DEBIAN)/%.made: make/debian.sh $(DEBIAN_TABLE)
	$(call say,DEBIAN,$(DEBIAN)/$*)
	$(Q)mkdir -p $(@D) && make/debian.sh $* $(DEBIAN)/$* && { [ -e $(DEBIAN)/$*.skipped ] || touch $@; }

# Builds of minutes, for tests of CYCLOPS_TEST_SCALE=long.
debian-large: $(DEBIAN)/sqlite3.made ## the same of sqlite3, which needs tclsh

# A program that can't be fetched or built leaves the others alone; missing ones are listed at the
# end.
workloads: build/cyclops ## the same of all programs of demos/workloads, and their input; some minutes
	+$(Q)$(MAKE) --no-print-directory -k $(WORKLOADS:=.made) || true
	$(Q)build/cyclops lua demos/workloads/commands.lua

# The same programs with unrolled loops and more inlining, for demos/papers/vaswani2003; the
# archives are shared.
UNROLLED := $(DEBIAN)/unrolled
$(UNROLLED)/%.made: make/debian.sh $(DEBIAN_TABLE)
	$(call say,DEBIAN,$(UNROLLED)/$*)
	$(Q)mkdir -p $(@D) $(DEBIAN)/apt && ln -sfn ../apt $(@D)/apt && DEBIAN_CFLAGS='-O3 -g -funroll-all-loops' make/debian.sh $* $(UNROLLED)/$* && \
		{ [ -e $(UNROLLED)/$*.skipped ] || touch $@; }

workloads-unrolled: ## the workloads once more, with -O3 -funroll-all-loops, in build/debian/unrolled: what unrolling does to block profiling
	+$(Q)$(MAKE) --no-print-directory -k $(WORKLOADS:$(DEBIAN)/%=$(UNROLLED)/%.made) || true

workloads-table: workloads ## run them, and write what demos/workloads/README.md says of each to build/workloads/table.md; some minutes
	$(Q)demos/workloads/table.sh

.PHONY: debian-programs debian-large workloads workloads-unrolled workloads-table
