# Tests, lint, fuzzing, measuring. Included by the Makefile.

FUZZ_SECONDS ?= 600
FUZZ := $(patsubst %.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SHARED := $(addprefix $(BUILD)/tests/fuzz/,grammar.o fence.o)

test: ## set up, build, run every test; the last line says how many passed and failed
	$(Q)make/setup.sh build demos test
	$(sub) test-programs demos
	$(Q)tests/run.sh $(BUILD)

test-unit: ## only the unit tests
	$(Q)make/setup.sh build test
	$(sub) unit
	$(Q)tests/run.sh --unit $(BUILD)

test-asan: ## tests that find more in a build that checks memory and undefined behaviour (tests/sanitized.txt)
	$(Q)make/setup.sh build demos test
	$(sub) BUILD=build/asan demos $$(make/covers.py needs build/asan tests/sanitized.txt)
	$(Q)CYCLOPS_TEST_SCALE=$${CYCLOPS_TEST_SCALE:-small} tests/run.sh --only tests/sanitized.txt build/asan

test-long: ## before a release, hours: every test in both builds with all that it can do
	$(Q)make/setup.sh build demos test suite
	$(Q)make/gdb_suite.sh build/gdb-suite
	$(sub) analyze
	$(sub) test-programs demos debian-programs other-host web
	$(Q)CYCLOPS_TEST_SCALE=long TIMEOUT=7200 tests/run.sh build/release
	$(sub) BUILD=build/asan test-programs demos
	$(Q)CYCLOPS_TEST_SCALE=full TIMEOUT=7200 tests/run.sh build/asan
	$(sub) mutants SEED=$$(git log -1 --format=%ct)

# Programs that the tests of one flavour need; fragments in tests/*/ may add their own.
test-programs: $(BUILD)/cyclops unit
unit: $(UNIT)

check: ## what the changed files can break, in a minute, installing nothing; WHY=FILE says which tests cover it, SINCE=REV takes what has changed since
	$(Q)$(if $(WHY),make/covers.py why $(WHY),make/covers.py check $(BUILD))

breaks: ## apply each deliberate break of tests/breaks to a copy and say which test notices; BREAKS="PATTERN|NUMBER..." some of them
	$(Q)make/setup.sh build demos test
	$(sub) build/cyclops demos
	$(Q)tests/breaks/run.py $(BREAKS)

mutants: ## draw N mutants (100) of ROOM="core/mem ui" (all) with SEED (1), say which the tests notice; AGAIN=1 those that were not once more
	$(Q)make/setup.sh build demos test
	$(sub) build/cyclops demos
	$(Q)ROOM="$(ROOM)" N="$(N)" SEED="$(SEED)" tests/mutants/run.py $(if $(AGAIN),again)

outside: ## get what others wrote (lua, sqlite3, coreutils, musl, the C library's tests), as Debian has it, and build it for tests/outside
	$(Q)make/setup.sh build test
	$(Q)make/outside.sh build/outside

other-host: ## build for another kind of host, 64-bit Arm, in build/aarch64, with its libraries from Debian, for tests/hosts
	$(Q)make/setup.sh build demos test host
	$(Q)make/other_host.sh build/aarch64

gdb-suite: ## get gdb's own test suite and dejagnu, run it on our stub, compare with tests/gdb/suite/expected.txt; a quarter of an hour a group: SUITE="gdb.reverse gdb.base/callfuncs.exp", QEMU=1 beside qemu's stub, QEMU=failing only where ours fails, KEEP=1 writes the list
	$(Q)make/setup.sh build test suite
	$(Q)make/gdb_suite.sh build/gdb-suite
	$(sub) build/cyclops
	$(Q)python3 tests/gdb/suite/suite.py build/gdb-suite $(if $(QEMU),--$(if $(QEMU:failing=),qemu,beside)) $(if $(KEEP),--keep) \
		$(or $(SUITE),gdb.reverse gdb.base gdb.threads gdb.cp gdb.mi gdb.python)

lint: ## warnings as errors, clang-tidy where its text is new, and the include rule of the design
	$(Q)make/setup.sh build lint
	$(Q)make/check-includes.sh
	$(Q)make/check-circles.py
	$(Q)make/check-alloc.sh
	$(Q)make/check-children.sh
	$(Q)make/check-covers.sh
	$(Q)make/check-openers.py
	$(Q)make/check-results.py
	$(Q)make/check-host.sh
	$(Q)make/check-lines.py
	$(Q)make/check-names.py
	$(Q)make/check-words.py
	$(Q)make/check-kinds.py
	$(Q)python3 tests/cmd/named.py
	$(Q)python3 tests/growth/growth.py rows
	$(Q)make/check-costs.py
	$(sub) WERROR=-Werror lint-sources

# For sources whose headers the compiler has listed. A source that has passed with the same text, in
# any clone, passes (make/tidy.py).
lint-sources: tidy symbols $(UNIT:=.o)
tidy: $(LIB_OBJ) $(BUILD)/ui/main.o
	$(call say,TIDY,$(BUILD))
	$(Q)make/tidy.py $(BUILD) $(LIB_SRC) ui/main.c -- $(filter-out -Werror -O% -g%,$(ALL_CFLAGS) $(FREETYPE_CFLAGS))

symbols: $(LIB_OBJ)
	$(Q)make/check-symbol-circles.py $(BUILD)

ANALYZER := clang-analyzer-*,-clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling
ANALYZER := $(ANALYZER),-clang-analyzer-security.insecureAPI.strcpy,-clang-analyzer-optin.performance.Padding

analyze: ## clang's analyzer over all sources whose text is new: a quarter of an hour the first time
	$(Q)make/setup.sh build lint
	$(sub) TIDY_CHECKS='$(ANALYZER)' tidy

fuzz: ## fuzz the loader, parsers, checkpoints, scripts, profiles and the screen under sanitizers for FUZZ_SECONDS (default 600) each
	$(Q)make/setup.sh build demos fuzz
	$(sub) BUILD=build/fuzz CC=clang fuzz-programs demos
	$(Q)tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS)

# Compiled for each break of an instruction, and for checks only; few tests run long in them.
$(patsubst %.c,build/breaks/%.o,$(wildcard core/isa/functional_*.c)): ALL_CFLAGS += -O0
$(patsubst %.c,build/asan/%.o,$(wildcard core/isa/functional_*.c)): ALL_CFLAGS += -O0

# Clang takes minutes to optimize the loops over all instructions when they are full of checks.
$(patsubst %.c,build/fuzz/%.o,$(wildcard core/isa/functional_*.c)): ALL_CFLAGS += -O0

# The last three: what the checkpoints are of that fuzz_checkpoint begins with.
fuzz-programs: $(FUZZ) build/tests/lua/guest build/tests/reverse/guest build/tests/reverse/profiled build/tests/reverse/firmware.elf

$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(FUZZ_SHARED) $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

bench: ## one table of costs, beside the former ones; BENCH="PART..." measures parts of it
	$(Q)make/setup.sh build demos bench
	$(sub) all demos bench-programs
	$(Q)tests/bench/table.sh $(BENCH)

-include $(FUZZ:=.d) $(FUZZ_SHARED:.o=.d)
.PHONY: outside other-host gdb-suite breaks mutants check test test-unit test-asan test-long test-programs unit lint lint-sources fuzz fuzz-programs bench analyze tidy symbols
