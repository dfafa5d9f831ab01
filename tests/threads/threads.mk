# Programs with threads, static and dynamic; Go's only where its compiler is.
THREADS := $(addprefix build/tests/threads/,basic basic-dynamic classes classes-dynamic loops loops-dynamic deadlock calls descriptors steps hostile flags many yields storm streams)
test-programs: $(THREADS)

build/tests/threads/basic build/tests/threads/deadlock build/tests/threads/calls build/tests/threads/descriptors build/tests/threads/steps build/tests/threads/hostile build/tests/threads/flags build/tests/threads/many build/tests/threads/yields build/tests/threads/storm: build/tests/threads/%: tests/threads/%.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -pthread -Wall -Wextra -I. -o $@ $(filter %.c,$^)
build/tests/threads/basic: tests/threads/basic_ends.c tests/threads/basic_ends.h

build/tests/threads/basic-dynamic: tests/threads/basic.c tests/threads/basic_ends.c tests/threads/basic_ends.h
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -pthread -Wall -Wextra -o $@ $(filter %.c,$^)

build/tests/threads/classes build/tests/threads/classes-dynamic: tests/threads/classes.cc
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-g++ -O1 -g -pthread -Wall -Wextra $(if $(findstring -,$(@F)),,-static) -o $@ $<

build/tests/threads/loops build/tests/threads/loops-dynamic: tests/threads/loops.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -fopenmp -Wall -Wextra $(if $(findstring -,$(@F)),,-static -Wl,--no-warnings) -o $@ $<

# Relocations: it is instrumented, too.
build/tests/threads/streams: tests/threads/streams.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -O1 -g -static -Wl,--emit-relocs -pthread -Wall -Wextra -o $@ $<
