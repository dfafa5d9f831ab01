# Programs as the cross compiler links them by default: with an interpreter and shared libraries.
DYNAMIC := $(addprefix build/tests/dynamic/,plain unmoved lazy catcher fixed ways swap libplug.so)
test-programs: $(DYNAMIC)

build/tests/dynamic/plain build/tests/dynamic/lazy: DYNAMIC_FLAGS := -pie
build/tests/dynamic/lazy: DYNAMIC_FLAGS := -Wl,-z,lazy
build/tests/dynamic/unmoved: DYNAMIC_FLAGS := -no-pie
build/tests/dynamic/plain build/tests/dynamic/lazy build/tests/dynamic/unmoved: tests/dynamic/plain.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -Wall -Wextra $(DYNAMIC_FLAGS) -o $@ $< -lm

build/tests/dynamic/ways: tests/dynamic/ways.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -Wall -Wextra -o $@ $<

build/tests/dynamic/fixed: tests/dynamic/fixed.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -Wall -Wextra -static-pie -nostdlib -fPIE -Wl,--no-dynamic-linker -o $@ $<

build/tests/dynamic/swap: tests/dynamic/swap.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wall -Wextra -o $@ $<

build/tests/dynamic/libplug.so: tests/dynamic/plug.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -Wall -Wextra -shared -fPIC -o $@ $<

build/tests/dynamic/catcher: tests/dynamic/catcher.cc tests/dynamic/thrower.cc
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-g++ -O1 -g -Wall -Wextra -shared -fPIC -o $(@D)/libthrower.so tests/dynamic/thrower.cc && \
		riscv64-linux-gnu-g++ -O1 -g -Wall -Wextra -o $@ $< -L$(@D) -lthrower -Wl,-rpath,'$$ORIGIN'

# vars: with a copy of each variable of the library that it uses; varspie: without.
test-programs: build/tests/dynamic/vars

build/tests/dynamic/vars: tests/dynamic/vars.c tests/dynamic/varlib.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O0 -g -Wall -Wextra -shared -fPIC -o $(@D)/libvars.so tests/dynamic/varlib.c && \
		riscv64-linux-gnu-gcc -std=gnu17 -O0 -g -Wall -Wextra -shared -fPIC -DLATER -o $(@D)/libvars2.so tests/dynamic/varlib.c && \
		riscv64-linux-gnu-gcc -std=gnu17 -O0 -g -Wall -Wextra -fPIE -pie -o $@pie $< -L$(@D) -lvars -Wl,-rpath,'$$ORIGIN' && \
		riscv64-linux-gnu-gcc -std=gnu17 -O0 -g -Wall -Wextra -fno-pie -no-pie -o $@ $< -L$(@D) -lvars -Wl,-rpath,'$$ORIGIN'
