# Cyclops: see `make help`.
CC ?= gcc
BUILD ?= build/release
PKGS = ncursesw panelw readline libelf libdw lua5.4
CFLAGS_release = -O3 -g -fno-math-errno
CFLAGS_debug = -O0 -g3 -DCYCLOPS_CHECK
CFLAGS_asan = -O1 -g -fsanitize=address,undefined -fno-omit-frame-pointer -DCYCLOPS_CHECK
FLAVOUR := $(notdir $(BUILD))
WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
override CFLAGS += -std=gnu17 $(CFLAGS_$(FLAVOUR)) $(WARN) $(WERROR) -MMD -MP -I. -D_GNU_SOURCE $(shell pkg-config --cflags $(PKGS))
LDLIBS = $(shell pkg-config --libs $(PKGS)) -lm
LIB_SRC := $(filter-out ui/main.c,$(wildcard core/*.c core/*/*.c loader/*.c hwviews/*.c scripting/*.c ui/*.c ui/*/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)

all: build/cyclops
build/cyclops: $(BUILD)/ui/main.o $(BUILD)/libcyclops.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
$(BUILD)/libcyclops.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $^
$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<
-include $(LIB_OBJ:.o=.d) $(BUILD)/ui/main.d
.PHONY: all
