# The program for browsers: static files in build/web/. make/web/README.md explains.
WEB := build/web
WEB_LIBS := $(WEB)/libs/root
# Functions of core/host/posix/ that fit as they are, over calls that core/host/web/ gives.
WEB_SHARED := $(addprefix core/host/posix/,descriptor_path.c memory_file.c terminal_size.c wait_ready.c)
WEB_SRC := $(wildcard core/host/web/*.c) $(WEB_SHARED) $(filter-out core/host/posix/%,$(LIB_SRC)) ui/main.c
WEB_OBJ := $(WEB_SRC:%.c=$(WEB)/objects/%.o)
WEB_CFLAGS := -std=gnu17 -O2 -ffp-contract=off -fsigned-char -fno-math-errno -w -I. -D_GNU_SOURCE \
              -Icore/host/web/include -I$(WEB_LIBS)/include -DNCURSES_WIDECHAR=1
# -O1 links in half a minute, into a module half as large again.
WEB_OPT ?= -O2
WEB_LINK := $(WEB_OPT) -sMODULARIZE=1 -sEXPORT_NAME=Cyclops -sENVIRONMENT=web,worker,node -sFORCE_FILESYSTEM=1 \
            -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -sINITIAL_MEMORY=67108864 -sTOTAL_STACK=8388608 \
            -sNODEJS_CATCH_EXIT=0 -sNODEJS_CATCH_REJECTION=0 -sEXPORTED_FUNCTIONS=_main,_signals_take \
            --js-library core/host/web/library.js --pre-js core/host/web/start.js
WEB_ARCHIVES := $(patsubst %,$(WEB_LIBS)/lib/lib%.a,dw elf z lua5.4 jansson md4c iberty readline panelw ncursesw freetype)

web: ## build the program for browsers into build/web/, static files for any page host: half an hour the first time; WEB_OPT=-O1 links in seconds
	$(Q)make/setup.sh build demos web
	$(sub) $(WEB)/cyclops.js demos
	$(Q)($(COURSE_FILES); $(COURSE_BUILT)) | make/web/course.py $(WEB)
	$(Q)make/web/page.sh $(WEB)

test-web: web ## drive build/web/ in headless Chromium, and under node beside the native program
	$(sub) build/cyclops
	$(Q)tests/run.sh build/release web/node web/labs web/pictures web/run

$(WEB_ARCHIVES) &:
	$(Q)make/web/libraries.sh $(WEB)/libs

$(WEB)/objects/%.o: %.c | $(WEB_ARCHIVES)
	$(call say,WEB,$@)
	$(Q)mkdir -p $(@D); make/web/cc $(WEB_CFLAGS) -MMD -MP -c -o $@ $<

# The code of each cycle and instruction. Browsers with shared memory have vectors.
$(WEB)/objects/core/pipe/variant_%.o: WEB_CFLAGS += -O3 -msimd128
$(WEB)/objects/core/isa/functional_%.o: WEB_CFLAGS += -O3 -msimd128
$(WEB)/objects/core/mem/%.o: WEB_CFLAGS += -O3 -msimd128

$(WEB)/cyclops.js: $(WEB_OBJ) $(WEB_ARCHIVES) $(wildcard core/host/web/*.js)
	$(call say,LINK,$@)
	$(Q)make/web/link $@ $(WEB_LINK) $(WEB_OBJ) $(WEB_ARCHIVES)

-include $(WEB_OBJ:.o=.d)
.PHONY: web test-web
