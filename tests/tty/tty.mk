test-programs: build/tests/tty/torment build/tests/tty/asks

build/tests/tty/torment: tests/tty/torment.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -O1 -Wall -Wextra -o $@ $<

build/tests/tty/asks: tests/tty/asks.c
	$(call say,CROSS,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -o $@ $<

test-programs: build/tests/tty/fails.so

build/tests/tty/fails.so: tests/tty/fails.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && gcc -std=gnu17 -O1 -Wall -Wextra -shared -fPIC -o $@ $<
