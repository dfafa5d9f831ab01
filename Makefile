# Cyclops: `make help` lists every target.
#
# One source list, several flavours: BUILD=build/release (default), build/debug, build/asan,
# build/fuzz. Each keeps its objects, library, program and tests in its own folder.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

BUILD ?= build/release
FLAVOUR := $(notdir $(BUILD))
PREFIX ?= /usr/local
WERROR ?= $(if $(CI),-Werror)
Q := $(if $(V),,@)
# Printed by make itself, not echo: a process per line costs half a minute over all checks.
say = $(if $(V),,$(info $()  $(1)$(tab)$(2)))
tab := $()	$()
# As many jobs as processors, unless -j is given.
sub = +$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

ifeq ($(origin CC),default)
CC := gcc
endif
# Distributions name Lua's version in different ways.
LUA := $(shell for p in lua5.4 lua-5.4 lua54 lua; do pkg-config --exists "$$p >= 5.4" 2>/dev/null && echo $$p && break; done)
PKGS := ncursesw panelw readline libelf libdw jansson md4c zlib $(or $(LUA),lua5.4)
WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
ifneq ($(findstring clang,$(CC)),)
WARN += -Wno-enum-float-conversion -Wno-enum-enum-conversion -Wno-missing-field-initializers -Wno-format-zero-length -Wno-unknown-attributes
endif
FLAGS_release := -O3 -g1 -fno-math-errno
ifneq ($(findstring gcc,$(CC)),)
CYCLE_FLAGS_release := -fno-tree-slp-vectorize -fira-region=one -fira-loop-pressure -fno-code-hoisting -fno-if-conversion --param=large-function-insns=20000 \
                       -frename-registers --param=max-jump-thread-duplication-stmts=100 --param=max-grow-copy-bb-insns=40 -fno-gcse \
                       $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),-mtune=haswell) \
                       $(if $(filter 12,$(firstword $(subst ., ,$(shell $(CC) -dumpversion)))),--param=max-fsm-thread-length=6)
endif
CYCLE_FLAGS := $(CYCLE_FLAGS_$(FLAVOUR))
# Tests are built more often than they run for long, and debugged in build/debug.
TEST_FLAGS_release := -O0 -g1
# Finds what library code does to a test's variables, and no more: tests themselves are not checked.
TEST_FLAGS_asan := -O0 -fno-sanitize=undefined
TEST_FLAGS_breaks := -O0
TEST_LDFLAGS_release := -Wl,--strip-debug
# Hundreds of programs are linked with the whole library; gold, of the same package as ld, takes half the time.
TEST_LDFLAGS = $(ALL_LDFLAGS) $(TEST_LDFLAGS_$(FLAVOUR)) $(GOLD)
GOLD := $(if $(shell command -v ld.gold),-fuse-ld=gold)
FLAGS_debug := -O0 -g3 -DCYCLOPS_CHECK=1
# Undefined behaviour is a trap, whose place in the source the address sanitizer's report of SIGILL names: with words of its own for each check, code
# takes half as long again to compile and to begin. Reads of address 0 fault without a check.
FLAGS_asan := -O1 -g1 -fno-omit-frame-pointer -DCYCLOPS_CHECK=251 \
              -fsanitize=address,undefined -fno-sanitize=null -fsanitize-undefined-trap-on-error
FLAGS_fuzz := $(FLAGS_asan) -fsanitize=fuzzer-no-link
FLAGS_breaks := -O1 -fsanitize=leak
# The same arithmetic on every host: Arm's compilers fuse a * b + c, and have an unsigned char.
ALL_CFLAGS := -std=gnu17 -ffp-contract=off -fsigned-char $(FLAGS_$(FLAVOUR)) $(WARN) $(WERROR) -I. -D_GNU_SOURCE \
              $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CFLAGS)
# Sanitizers' tables of source places are full of addresses: without -no-pie, linking takes twice as
# long, and half of a process's beginning.
LDFLAGS_asan := -no-pie
ALL_LDFLAGS := $(filter -fsanitize% -fno-sanitize%,$(FLAGS_$(FLAVOUR))) $(LDFLAGS_$(FLAVOUR)) $(LDFLAGS)
# The font of recordings, which one file uses.
FREETYPE_CFLAGS := $(shell pkg-config --cflags freetype2 2>/dev/null)
LIBS := $(shell pkg-config --libs $(PKGS) freetype2 2>/dev/null) -liberty -lm

# The kind of host: a folder of core/host/.
HOST := posix
LIB_SRC := $(filter-out ui/main.c,$(wildcard core/host/$(HOST)/*.c) $(wildcard $(addsuffix /*.c,core/* $(filter-out core/host/%,$(wildcard core/*/*)) loader loader/* hwviews/* scripting scripting/* ui ui/*)))
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
LIB := $(BUILD)/libcyclops.a
UNIT_SRC := $(wildcard tests/unit/*/test_*.c)
UNIT := $(UNIT_SRC:%.c=$(BUILD)/%)

## Build
all: $(if $(filter build/release,$(BUILD)),build/cyclops,$(BUILD)/cyclops) ## build build/cyclops, or with BUILD= that one's; installs nothing

# The same file as in the release build, so that every tool finds it in one place.
build/cyclops: build/release/cyclops
	$(Q)ln -f $< $@

ifneq ($(BUILD),build/release)
build/release/cyclops:
	$(sub) BUILD=build/release $@
endif

$(BUILD)/cyclops: $(BUILD)/ui/main.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(LIB): $(LIB_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/%.o: %.c $(BUILD)/flags
	$(call say,CC,$@)
	$(Q)[ -d $(@D) ] || mkdir -p $(@D); $(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# A cycle is one large function. gcc shares out registers better over the whole of it than loop by loop, what it computes early
# it has to keep, and two values that it gathers for one wide store cost more than two stores; code that is copied saves jumps.
# -mtune: for hosts of 2013 and later; the code runs on all.
# max-fsm-thread-length: without it, gcc 12 spends three quarters of its time on long paths of jumps, which save nothing.
$(BUILD)/core/pipe/variant_%.o: ALL_CFLAGS += $(CYCLE_FLAGS)
$(BUILD)/ui/screen/cell_font.o: ALL_CFLAGS += $(FREETYPE_CFLAGS)

# Tests may see all fields of parameters and statistics.
$(BUILD)/tests/%.o: ALL_CFLAGS += -include core/defs/config_fields.h -include core/defs/stats_fields.h -include core/defs/event_fields.h $(TEST_FLAGS_$(FLAVOUR))

# The Lua modules that are part of it.
$(BUILD)/scripting/modules.o: $(wildcard scripting/lua/*.lua)
# The page that `export html` fills.
$(BUILD)/hwviews/exports/export_html.o: hwviews/exports/pipeline.html
$(BUILD)/scripting/values/value_shipped.o: $(wildcard scripting/lua/values/*.lua)
# Pages of help.
$(BUILD)/ui/help/help_texts.o: $(wildcard ui/help/pages/*.txt)

$(BUILD)/tests/unit/pipe/test_idle: $(BUILD)/tests/reverse/plugins.o
$(BUILD)/tests/unit/%: $(BUILD)/tests/unit/%.o $(BUILD)/tests/cases.o $(LIB)
	$(call say,LD,$@)
	$(Q)$(CC) $(TEST_LDFLAGS) -o $@ $^ $(LIBS) -lcmocka

# Other flags, other objects: everything is rebuilt when the compiler's command changes. Not for -Werror, which makes the same ones.
export FLAGS_LINE := $(CC) $(filter-out -Werror,$(ALL_CFLAGS)) $(CYCLE_FLAGS) $(TEST_FLAGS_$(FLAVOUR)) $(TEST_LDFLAGS)
ifneq ($(strip $(file < $(BUILD)/flags)),$(strip $(FLAGS_LINE)))
.PHONY: $(BUILD)/flags
endif
$(BUILD)/flags:
	$(Q)make/setup.sh --check build
	$(Q)mkdir -p $(@D)
	@printf '%s\n' "$$FLAGS_LINE" >$@

-include $(wildcard make/*.mk demos/programs/programs.mk demos/firmware/firmware.mk demos/scenarios/scenarios.mk demos/tools/tools.mk demos/papers/papers.mk demos/xprof/xprof.mk tests/*/*.mk)

## Use
run: ## set up, build, and play a guided tour of a demo program: on the screen on a terminal, else as text
	$(Q)make/setup.sh build demos
	$(sub) run-demo

# A search for anagrams: tens of millions of instructions, near the machine's width.
run-demo: build/cyclops demos
	$(Q)[ -t 1 ] || export COLUMNS=$${COLUMNS:-100}; build/cyclops tour first

# Its parts are in demos/programs/programs.mk.
demos: ## compile the demo programs (RISC-V) into build/demos
	@:

clean: ## remove build/
	$(Q)rm -rf build

setup: ## install the packages that building and testing need (apt-get, root or sudo)
	$(Q)make/setup.sh build demos test lint fuzz bench

help: ## this list
	@echo 'make TARGET [V=1] [BUILD=build/release|build/debug|build/asan] [WERROR=-Werror]'
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | sort -u | expand -t 16

-include $(LIB_OBJ:.o=.d) $(BUILD)/ui/main.d $(UNIT:=.d)
.PHONY: all run run-demo demos clean setup help
.SECONDARY:
