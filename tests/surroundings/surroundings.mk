build/tests/surroundings/guest: tests/surroundings/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -static -Wall -Wextra -o $@ $<

test-programs: build/tests/surroundings/guest

# To be preloaded into the program, on this computer.
test-programs: build/tests/surroundings/jumps.so
build/tests/surroundings/jumps.so: tests/surroundings/jumps.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && gcc -std=gnu17 -O1 -shared -fPIC -Wall -Wextra -o $@ $<
