# The programs of the scenarios: each demos/scenarios/NAME.S becomes build/demos/scenarios/NAME, without a C library, so that
# it is at its point after a few cycles. Included by the Makefile.

SCENARIO_PROGRAMS := $(patsubst demos/scenarios/%.S,build/demos/scenarios/%,$(wildcard demos/scenarios/*.S))

demos: $(SCENARIO_PROGRAMS)

build/demos/scenarios/%: demos/scenarios/%.S demos/scenarios/scenario.h demos/scenarios/scenarios.mk | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) $(DEMO_ARCH) -g -ffile-prefix-map=$(CURDIR)=. -static -nostdlib -no-pie \
		-Wl,--no-relax -Wl,--build-id=none -o $@ $<
