test-programs: build/tests/values/calls

build/tests/values/calls: tests/values/calls.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O2 -g -static -Wall -Wextra -o $@ $< -lm

test-programs: build/tests/values/arguments build/tests/values/halves

build/tests/values/arguments build/tests/values/halves: build/tests/values/%: tests/values/%.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -o $@ $<

test-programs: build/tests/values/words

build/tests/values/words: tests/values/words.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -pthread -Wall -Wextra -o $@ $<

test-programs: $(addprefix build/tests/values/,turns libturn-3.so libturn-5.so)

build/tests/values/turns: tests/values/turns.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -Wall -Wextra -o $@ $<

build/tests/values/libturn-%.so: tests/values/turn.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -Wall -Wextra -DVALUE=$* -shared -fPIC -o $@ $<
