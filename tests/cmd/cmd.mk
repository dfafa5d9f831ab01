test-programs: build/tests/cmd/json_check

build/tests/cmd/json_check: tests/cmd/json_check.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && $(CC) -std=gnu17 -O1 -Wall -Wextra -o $@ $<
