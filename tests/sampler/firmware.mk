# Variants of the sampler's firmware for tests/sampler.
SAMPLER_TEST := build/tests/sampler
SAMPLER_TEST_ELF := $(addprefix $(SAMPLER_TEST)/,small.elf edges.elf masked.elf)

test-programs: $(SAMPLER_TEST_ELF)

# A table that most tuples don't fit in.
$(SAMPLER_TEST)/small.elf: FIRMWARE_DEFINE := -DCAPACITY_LOG2=4 -DPROBES_MAX=4
# It profiles another event than configured, and sets its own interrupt threshold.
$(SAMPLER_TEST)/edges.elf: FIRMWARE_DEFINE := \
	'-DBEFORE=DEVICE_REGISTER(SAMPLER_STREAM(0) + STREAM_KIND) = 3, DEVICE_REGISTER(SAMPLER_STREAM(0) + STREAM_KINDS) = 0, \
	DEVICE_REGISTER(SAMPLER_STREAM(0) + STREAM_TAG) = 9, DEVICE_REGISTER(SAMPLER_THRESHOLD) = 7'
# It never reads.
$(SAMPLER_TEST)/masked.elf: FIRMWARE_DEFINE := '-DBEFORE=return'
$(SAMPLER_TEST)/%.elf: demos/firmware/sampler.c $(FIRMWARE_PARTS)
	$(firmware_link)
