# The demo programs: static RISC-V Linux programs for the machine to run. Included by the Makefile.
#
# Each demos/programs/NAME.c and demos/programs/small/NAME.c becomes build/demos/NAME, whatever the
# flavour of the rest of the build. They read their input by paths relative to the top of the tree.

DEMO_CC ?= riscv64-linux-gnu-gcc
DEMO_ARCH ?= -march=rv64gc -mabi=lp64d
# A function that is called once stays a function: profiles, breakpoints and call trees are about functions.
# sqrt() is one instruction only without errno: the test for it reads and writes fcsr, which
# drains the pipeline each time.
DEMO_CFLAGS ?= -O2 -g -fno-math-errno -fno-inline-functions-called-once
DEMO_WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
DEMO_SRC := $(wildcard demos/programs/*.c demos/programs/small/*.c)
DEMOS := $(patsubst %.c,build/demos/%,$(notdir $(DEMO_SRC)))

demos: $(DEMOS)

# Debug information holds the source's relative path, so that any checkout finds it.
define demo_rule
build/demos/$(basename $(notdir $(1))): $(1) demos/programs/programs.mk | build/demos/.compiler
	$$(call say,DEMO,$$@)
	$$(Q)$$(DEMO_CC) -std=gnu17 $$(DEMO_CFLAGS) $$(DEMO_ARCH) $$(DEMO_WARN) \
		-ffile-prefix-map=$$(CURDIR)=. -static -Wl,--emit-relocs -o $$@ $$< -lm
endef
$(foreach source,$(DEMO_SRC),$(eval $(call demo_rule,$(source))))

# Runs once: names the packages when there is no cross compiler.
build/demos/.compiler:
	$(Q)command -v $(firstword $(DEMO_CC)) >/dev/null || make/setup.sh --check demos
	$(Q)mkdir -p $(@D) && touch $@

.PHONY: demos
