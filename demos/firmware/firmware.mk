# Firmware: M-mode code for --firmware, each demos/firmware/NAME.c becomes build/demos/firmware/NAME.elf. Included by the
# Makefile.

FIRMWARE := $(patsubst demos/firmware/%.c,build/demos/firmware/%.elf,$(wildcard demos/firmware/*.c))
FIRMWARE_PARTS := $(addprefix demos/firmware/,crt.S firmware.h firmware.ld firmware.mk)
# Programs of the co-processor as headers, for the firmware that loads them.
MICROCODE := $(patsubst demos/microcode/%.mic,build/demos/microcode/%.h,$(wildcard demos/microcode/*.mic))
# No floating point: those registers are the program's. No gp: it is the program's too.
FIRMWARE_CFLAGS ?= -O2 -g -march=rv64imac_zicsr -mabi=lp64 -mcmodel=medany -ffreestanding -fno-pic

demos: $(FIRMWARE)

# From the first .c among the prerequisites; FIRMWARE_DEFINE may vary it.
define firmware_link
$(call say,DEMO,$@)
$(Q)command -v $(firstword $(DEMO_CC)) >/dev/null || make/setup.sh --check demos
$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 $(FIRMWARE_CFLAGS) $(DEMO_WARN) $(FIRMWARE_DEFINE) -Idemos/firmware -Ibuild/demos \
	-ffile-prefix-map=$(CURDIR)=. -nostdlib -static -no-pie -Wl,--build-id=none -T demos/firmware/firmware.ld -o $@ \
	demos/firmware/crt.S $(filter %.c,$^)
endef

build/demos/firmware/%.elf: demos/firmware/%.c $(FIRMWARE_PARTS)
	$(firmware_link)

# sampler.c with a queue in memory, and a thread that reads the queue.
demos: build/demos/firmware/sampler_thread.elf
build/demos/firmware/sampler_thread.elf: FIRMWARE_DEFINE = -DQUEUE=1024
build/demos/firmware/sampler_thread.elf: demos/firmware/sampler.c $(FIRMWARE_PARTS)
	$(firmware_link)

# Updated only if its contents change, so that dependents are not rebuilt for nothing.
build/demos/microcode/%.h: demos/microcode/%.mic build/cyclops
	$(Q)mkdir -p $(@D) && build/cyclops microcode $< -o $@.new
	$(Q)if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(patsubst %,build/demos/firmware/%.elf,$(notdir $(basename $(wildcard demos/firmware/cop_*.c)))): demos/firmware/cop.h demos/firmware/cop_profile.h demos/firmware/cop_counts.h demos/firmware/cop_stacks.h $(MICROCODE)
