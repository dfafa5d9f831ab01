test-programs: build/tests/tty/torment

build/tests/tty/torment: tests/tty/torment.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -O1 -Wall -Wextra -o $@ $<
