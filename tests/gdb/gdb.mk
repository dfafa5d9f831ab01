# The program that gdb debugs, without optimising and with a library of its own.
test-programs: build/tests/gdb/guest build/tests/gdb/guest-O2 build/tests/gdb/guest-dynamic

build/tests/gdb/guest: GDB_FLAGS := -O0 -static
build/tests/gdb/guest-O2: GDB_FLAGS := -O2 -static
build/tests/gdb/guest-dynamic: GDB_FLAGS := -O0
build/tests/gdb/guest build/tests/gdb/guest-O2 build/tests/gdb/guest-dynamic: tests/gdb/guest.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -g -Wall -Wextra $(GDB_FLAGS) -o $@ $<

# Functions and lines with several places in the code.
test-programs: build/tests/gdb/shapes build/tests/gdb/shapes-O1
build/tests/gdb/shapes: GDB_FLAGS := -O0
build/tests/gdb/shapes-O1: GDB_FLAGS := -O1
build/tests/gdb/shapes build/tests/gdb/shapes-O1: tests/sessions/shapes.cc
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-g++ -std=gnu++17 -g $(GDB_FLAGS) -static -o $@ $<

# Signals that stop it.
test-programs: build/tests/gdb/signals
build/tests/gdb/signals: tests/gdb/signals.c
	$(call say,RISCV,$@)
	$(Q)mkdir -p $(@D) && riscv64-linux-gnu-gcc -std=gnu17 -g -Wall -Wextra -static -o $@ $<
