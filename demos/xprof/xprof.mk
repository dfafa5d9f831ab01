# Programs with profile instructions written by hand: demos/xprof/NAME.c, with NAME.S if there is one, becomes
# build/demos/xprof/NAME. Included by the Makefile.

XPROF_BY_HAND := $(patsubst demos/xprof/%.c,build/demos/xprof/%,$(wildcard demos/xprof/*.c))

demos: $(XPROF_BY_HAND)

$(XPROF_BY_HAND): build/demos/xprof/%: demos/xprof/%.c demos/include/xprof.h demos/include/xprof.inc demos/xprof/xprof.mk \
		$(wildcard demos/xprof/*.S) | build/demos/.compiler
	$(call say,DEMO,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 $(DEMO_CFLAGS) $(DEMO_ARCH) $(DEMO_WARN) -ffile-prefix-map=$(CURDIR)=. \
		-static -pthread -o $@ $< $(wildcard demos/xprof/$*.S)
