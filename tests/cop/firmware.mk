# Variants of the handlers of value profiles for tests/cop.
COP_TEST := build/tests/cop
COP_TEST_ELF := $(addprefix $(COP_TEST)/,turns.elf forgets.elf small.elf fault.elf small_sample.elf)

test-programs: $(COP_TEST_ELF)

# A load is done after three slots, earlier without a frequent value or with an almost constant one;
# short turns, and masks that soon expire.
$(COP_TEST)/turns.elf: FIRMWARE_DEFINE := -DTURNS=3 -DLOW_TURNS=2 -DLOW_SAMPLES=200 -DHIGH_SAMPLES=64 -DTURN_CYCLES=15000 -DIDLE_MAX=60000 -DRESAMPLE=4
# Room for two values of each load, no end of sampling, quick divisions of the program, and lasting
# masks.
$(COP_TEST)/forgets.elf: FIRMWARE_DEFINE := -DVALUES=2 -DTURNS=100 -DLOW=0 -DTHRASH_SHARE=100 -DRESAMPLE=0
# Tables that most loads don't fit in.
$(COP_TEST)/small.elf $(COP_TEST)/small_sample.elf: FIRMWARE_DEFINE := -DCAPACITY_LOG2=4 -DPROBES_MAX=4
# Its routine begins outside the microcode.
$(COP_TEST)/fault.elf: FIRMWARE_DEFINE := '-DBEFORE=DEVICE_REGISTER(COP_START(0)) = 0x7fff'

COP_TEST_PARTS := tests/cop/firmware.mk demos/firmware/cop.h demos/firmware/cop_profile.h $(FIRMWARE_PARTS) $(MICROCODE)
$(COP_TEST)/%_sample.elf: demos/firmware/cop_sample.c $(COP_TEST_PARTS)
	$(firmware_link)
$(COP_TEST)/%.elf: demos/firmware/cop_value.c $(COP_TEST_PARTS)
	$(firmware_link)

# Likewise for counts: a small table, a table whose entries are displaced from their hash position,
# and masked branches.
COP_COUNTS_ELF := $(addprefix $(COP_TEST)/counts/,small.elf crowded.elf enough.elf)
test-programs: $(COP_COUNTS_ELF)
$(COP_TEST)/counts/small.elf: FIRMWARE_DEFINE := -DCAPACITY_LOG2=4
$(COP_TEST)/counts/crowded.elf: FIRMWARE_DEFINE := -DCAPACITY_LOG2=11 -DPROBES_MAX=2048
$(COP_TEST)/counts/enough.elf: FIRMWARE_DEFINE := -DENOUGH=100
$(COP_COUNTS_ELF): $(COP_TEST)/counts/%.elf: demos/firmware/cop_edges.c demos/firmware/cop_counts.h $(COP_TEST_PARTS)
	$(firmware_link)
