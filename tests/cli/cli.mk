test-programs: build/tests/cli/guest build/tests/cli/rename build/tests/cli/escape build/tests/cli/many build/tests/cli/accidents build/tests/cli/folders build/tests/cli/opens

build/tests/cli/guest build/tests/cli/rename build/tests/cli/escape build/tests/cli/many build/tests/cli/accidents build/tests/cli/folders build/tests/cli/opens: build/tests/cli/%: tests/cli/%.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wl,--emit-relocs -Wall -Wextra -o $@ $(filter %.c,$^)
build/tests/cli/escape: $(addprefix tests/cli/,escape_report.c escape_without_paths.c escape.h)

# Its second name would colour a terminal.
test-programs: build/tests/cli/hostile

build/tests/cli/hostile: tests/cli/hostile.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -fno-reorder-functions -g -static -o $@.o -c $< && \
		riscv64-linux-gnu-objcopy --add-symbol "$$(printf 'red\033[31m')=.text:0,function,global" $@.o $@.2.o && \
		riscv64-linux-gnu-gcc -static -o $@ $@.2.o

test-programs: build/tests/cli/scarce.so

build/tests/cli/scarce.so: tests/cli/scarce.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && gcc -std=gnu17 -O1 -Wall -Wextra -shared -fPIC -o $@ $<

test-programs: build/tests/cli/lesser.so

build/tests/cli/lesser.so: tests/cli/lesser.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D) && gcc -std=gnu17 -O1 -Wall -Wextra -shared -fPIC -o $@ $<
