# Variants of the handlers of the co-processor's value profiles for tests/cop.
COP_TEST := build/tests/cop

$(COP_TEST)/v%.elf: demos/firmware/cop_value.c demos/firmware/cop.h demos/firmware/cop_profile.h $(FIRMWARE_PARTS) | $(MICROCODE)
	$(firmware_link)
