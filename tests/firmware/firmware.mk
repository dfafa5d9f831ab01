# Firmware for tests/firmware/run.sh, and the programs that try to reach it or are changed by it. demos/firmware has the rest.

FIRMWARE_TEST := build/tests/firmware
FIRMWARE_TEST_ELF := $(addprefix $(FIRMWARE_TEST)/,fast.elf often.elf clobber.elf fault1.elf fault2.elf fault3.elf fault4.elf fault5.elf cop.elf patch.elf halves.elf)

test-programs: $(FIRMWARE_TEST_ELF) $(FIRMWARE_TEST)/reach $(FIRMWARE_TEST)/patched

# Interrupts as frequent as possible: any loss of the program's state shows soon.
$(FIRMWARE_TEST)/fast.elf: demos/firmware/pcprofile.c
$(FIRMWARE_TEST)/fast.elf: FIRMWARE_DEFINE := -DPERIOD=17
$(FIRMWARE_TEST)/often.elf: demos/firmware/tick.c
$(FIRMWARE_TEST)/often.elf: FIRMWARE_DEFINE := -DPERIOD=300
$(FIRMWARE_TEST)/clobber.elf: tests/firmware/clobber.c
$(FIRMWARE_TEST)/cop.elf: tests/firmware/cop.c demos/firmware/cop.h
$(FIRMWARE_TEST)/patch.elf: tests/firmware/patch.c
$(FIRMWARE_TEST)/halves.elf: tests/firmware/patch.c
$(FIRMWARE_TEST)/halves.elf: FIRMWARE_DEFINE := -DHALVES
$(FIRMWARE_TEST)/fault%.elf: FIRMWARE_DEFINE = -DHOW=$*
$(FIRMWARE_TEST)/fault%.elf: tests/firmware/fault.c $(FIRMWARE_PARTS)
	$(firmware_link)
$(FIRMWARE_TEST)/%.elf: $(FIRMWARE_PARTS)
	$(firmware_link)

$(FIRMWARE_TEST)/reach: tests/firmware/reach.c | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) -std=gnu17 -O1 -g $(DEMO_WARN) -static -o $@ $<

$(FIRMWARE_TEST)/patched: tests/firmware/patched.S | build/demos/.compiler
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && $(DEMO_CC) $(DEMO_ARCH) -nostdlib -static -no-pie -o $@ $<
