test-programs: build/tests/lua/guest build/tests/lua/hours build/tests/lua/lines build/tests/lua/ring build/tests/lua/triggers build/tests/lua/xprof

build/tests/lua/%: tests/lua/%.c demos/include/trigger.h
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -nostdlib -nostartfiles -Wl,--no-relax -I. -o $@ $<
