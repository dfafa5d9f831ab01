/* Programs under a co-processor, for tests of its filters and queues. */
#ifndef CYCLOPS_TESTS_UNIT_PROF_COP_SUBJECTS_H
#define CYCLOPS_TESTS_UNIT_PROF_COP_SUBJECTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/change.h"
#include "core/machine/machine.h"
#include "core/machine/params.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"
#include "loader/launch.h"
#include "tests/cases.h"

enum { CYCLES = 30000, CYCLE_MAX = 64, WORDS_MAX = 1024, WRITES_MAX = 600 };

/* ---- a case ---- */
enum {
	DROPS = 1,
	LOSES = 2,
	MASKS = 4,
	WRONG_PATH = 8,
	FIRMWARE = 16,
	PREFIXES = 32,
	KEEPS = 64,
	MISSES = 128,
	SKIPS = 256
};

struct subject {
	const char *what, *program, *firmware;
	const char *settings[8];
	const char *text; /* microprogram */
	struct device_write writes[5];
	unsigned table_bits; /* bits of 8 that are set in tables */
	unsigned expects;    /* required occurrences, else the case is void */
};

static const char quick[] = ".fields load: pc, result\n.on load: l\nl: done\n";

static const char slow[] = ".fields load: pc, result, addr, rs1\n.fields store: rs2, addr, "
                           "rs1\n.on load: l\n.on store: s\n.const k0 = 3\n"
			   "l: mov v0, k0\nn: sub v0, v0, k0 | if nz goto n\n mov v1, result\n mov "
                           "v2, v1\n mov v3, v2\n done\ns: mov v4, rs2\n done\n";

static const char everything[] =
	".fields load: pc, inst, rs1, rs2, result, addr, target\n.fields store: pc, inst, rs1, "
        "rs2, result, addr, target\n"
	".fields branch: pc, target\n.fields jump: pc, inst, result, target\n.fields int: pc, rs1, "
        "rs2, result\n.fields mul: result\n"
	".fields system: pc\n.fields atomic: pc, inst, addr, rs2\n.fields fp: rs1, rs2, "
        "result\n.fields div: rs2\n"
	".on load: l\n.on store: l\n.on branch: l\n.on jump: l\n.on int: l\n.on mul: l\n.on "
        "system: l\n.on atomic: l\n.on fp: l\n.on div: l\nl: done\n";

static const char branches[] =
	".fields branch: pc, target, inst\n.fields jump: target\n.on branch: b\n.on jump: j\nb: "
        "mov v0, pc\n mov v1, v0\n done\nj: mov v0, target\n mov v1, v0\n done\n";

static const struct subject subjects[] = {
	{"as it is", "build/demos/fib", NULL, {NULL}, quick, {{0}}, 0, 0},
	{"all fields", "build/demos/longjmp", NULL, {NULL}, everything, {{0}}, 0, DROPS},
	{"all fields, wide",
         "build/demos/matmul",
         NULL,
         {"cop.bus=8", "cop.transport=256", "cop.buffer=1024", NULL},
         everything,
         {{0}},
         0,
         0},
	{"two words a cycle",
         "build/demos/matmul",
         NULL,
         {"cop.bus=2", "cop.bus_latency=64", NULL},
         everything,
         {{0}},
         0,
         DROPS | MISSES},
	{"three words a cycle",
         "build/demos/longjmp",
         NULL,
         {"cop.bus=3", "cop.bus_latency=1", "cop.transport=24", NULL},
         slow,
         {{0}},
         0,
         LOSES},
	{"half the clock",
         "build/demos/fib",
         NULL,
         {"cop.divider=2", "cop.transport=16", NULL},
         slow,
         {{0}},
         0,
         DROPS},
	{"a quarter of it",
         "build/demos/lisp",
         NULL,
         {"cop.divider=4", "cop.buffer=16", NULL},
         slow,
         {{0}},
         0,
         LOSES},
	{"smallest",
         "build/demos/fib",
         NULL,
         {"cop.transport=8", "cop.buffer=8", NULL},
         slow,
         {{0}},
         0,
         DROPS | LOSES},
	{"engine stands",
         "build/demos/fib",
         NULL,
         {NULL},
         quick,
         {{COP_CONTROL, COP_TAG}},
         0,
         LOSES | KEEPS},
	{"no routine",
         "build/demos/longjmp",
         NULL,
         {NULL},
         everything,
         {{COP_START + 8 * INST_STORE, MICRO_NO_ROUTINE},
          {COP_START + 8 * INST_INT, MICRO_NO_ROUTINE}},
         0,
         SKIPS},
	{"nothing is tagged",
         "build/demos/fib",
         NULL,
         {NULL},
         quick,
         {{COP_CONTROL, COP_RUN}},
         0,
         0},
	{"a region",
         "build/demos/fib",
         NULL,
         {NULL},
         quick,
         {{COP_SHIFT, 3}, {COP_MASK, 5}, {COP_MATCH, 4}},
         0,
         MASKS},
	{"another",
         "build/demos/fib",
         NULL,
         {NULL},
         quick,
         {{COP_SHIFT, 9}, {COP_MASK, 3}, {COP_MATCH, 2}},
         0,
         MASKS},
	{"a range",
         "build/demos/branchy",
         NULL,
         {NULL},
         branches,
         {{COP_MASK, 0xfc0}, {COP_MATCH, 0x240}},
         0,
         MASKS},
	{"match outside the mask",
         "build/demos/fib",
         NULL,
         {NULL},
         quick,
         {{COP_MASK, 1}, {COP_MATCH, 2}},
         0,
         0},
	{"table high", "build/demos/branchy", NULL, {NULL}, branches, {{COP_TABLES, 1}}, 4, MASKS},
	{"table low",
         "build/demos/branchy",
         NULL,
         {"cop.filter_hashes=1", NULL},
         branches,
         {{COP_TABLES, 2}},
         3,
         MASKS},
	{"both tables",
         "build/demos/branchy",
         NULL,
         {"cop.filter=1K", "cop.filter_hashes=3", NULL},
         branches,
         {{COP_TABLES, 3}},
         5,
         MASKS},
	{"four functions",
         "build/demos/branchy",
         NULL,
         {"cop.filter=64", "cop.filter_hashes=4", NULL},
         branches,
         {{COP_TABLES, 3}},
         6,
         MASKS},
	{"tables that are off",
         "build/demos/branchy",
         NULL,
         {NULL},
         branches,
         {{0}},
         7,
         WRONG_PATH},
	{"wrong paths",
         "build/demos/branchy",
         NULL,
         {"pipe.rob_size=256", "pipe.decode_width=8", "pipe.fetch_width=8", "lsq.speculate=true",
          NULL},
         everything,
         {{0}},
         0,
         WRONG_PATH},
	{"commit of eight",
         "build/demos/branchy",
         NULL,
         {"pipe.commit_width=8", "pipe.rob_size=128", "cop.bus=4", "cop.transport=40", NULL},
         branches,
         {{0}},
         0,
         WRONG_PATH},
	{"in order",
         "build/demos/longjmp",
         NULL,
         {"pipe.in_order=true", "l1d.size=1K", "l1d.ways=1", NULL},
         everything,
         {{0}},
         0,
         MISSES},
	{"firmware",
         "build/demos/fib",
         "build/demos/firmware/tick.elf",
         {NULL},
         everything,
         {{0}},
         0,
         FIRMWARE},
	{"more firmware",
         "build/demos/fib",
         "build/tests/firmware/fast.elf",
         {NULL},
         slow,
         {{0}},
         0,
         FIRMWARE},
	{"prefixes",
         "build/tests/reverse/profiled",
         NULL,
         {"xprof.enable=true", NULL},
         everything,
         {{COP_SHIFT, 2}, {COP_MASK, 1}},
         0,
         PREFIXES},
};

/* ---- the reference ---- */
struct word {
	struct cop_record *of; /* owned if it is the last */
	bool last;
	uint64_t since;
};

static struct reference {
	struct config cfg;
	const struct micro_image *image;
	struct device_write writes[WRITES_MAX]; /* after the image's */
	unsigned write_count;
	uint64_t reg[REG_COUNT];
	struct word queue[WORDS_MAX]; /* [queued] */
	unsigned queued;
	struct {
		struct cop_record *record;
		uint64_t due;
	} bus[WORDS_MAX]; /* [flying] */
	unsigned flying;
	struct cop_record *buffer[WORDS_MAX]; /* [count] */
	unsigned count, used;
	uint64_t records, dropped, lost, prefixed, missed, masked;
	bool resync;
} ref;

/* ---- running ---- */
static inline void cop_subjects_write_registers(struct machine *m,
                                                const struct device_write *writes, size_t n)
{
	struct err err;
	if (!machine_change(m,
	                    &(struct change){.kind = JOURNAL_DEVICE,
	                                     .a = DEVICE_COP,
	                                     .bytes = writes,
	                                     .n = n * sizeof *writes},
	                    &err))
		fail_msg("%s", err.msg);
}

/* Random bits: a multiplicative hash of their word's index. */
static inline void cop_subjects_fill_filter_tables(unsigned of_eight)
{
	for (unsigned t = 0; of_eight && t < 2; t++)
		for (unsigned w = 0; w < (unsigned)ref.cfg.cop_filter / 64; w++) {
			uint64_t bits = 0, x = (w + 77 * t + 1) * UINT64_C(0x9e3779b97f4a7c15);
			for (unsigned i = 0; i < 64;
			     i++, x = x * 6364136223846793005u + 1442695040888963407u)
				bits |= (uint64_t)(x >> 61 < of_eight) << i;
			ref.writes[ref.write_count++] =
				(struct device_write){(t ? 0x50000 : 0x40000) + 8 * w, bits};
		}
}

static inline void cop_subjects_configure_cop(const struct subject *how, struct machine *m,
                                              const struct micro_image *image)
{
	struct err err;
	size_t n;
	struct device_write *load = cop_load(&ref.cfg, image, &n, &err);
	assert_non_null(load);
	cop_subjects_write_registers(m, load, n);
	free(load);
	ref.image = image;
	ref.writes[ref.write_count++] = (struct device_write){COP_CONTROL, COP_RUN | COP_TAG};
	for (unsigned i = 0; i < 5; i++)
		if (how->writes[i].offset || how->writes[i].value)
			ref.writes[ref.write_count++] = how->writes[i];
	for (unsigned i = 0; i < 5; i++) /* offset 0 is control, and its value not 0 */
		assert_true(how->writes[i].offset || how->writes[i].value || !how->writes[i].value);
	cop_subjects_fill_filter_tables(how->table_bits);
	cop_subjects_write_registers(m, ref.writes, ref.write_count);
}

static inline struct machine *cop_subjects_launch_machine(const struct subject *how,
                                                          struct program **p)
{
	char name[128];
	struct err err;
	snprintf(name, sizeof name, "%s", how->program);
	char *argv[] = {name, NULL}, *env[] = {NULL};
	const struct launch l = {.path = name, .argv = argv, .env = env, .firmware = how->firmware};
	config_default(&ref.cfg);
	assert_true(config_set_assignment(&ref.cfg, "cop.enable=true", &err));
	for (const char *const *s = how->settings; *s; s++)
		if (!config_set_assignment(&ref.cfg, *s, &err))
			fail_msg("%s", err.msg);
	*p = launch_program(&l, &err);
	struct machine *m = *p ? launch_machine(&l, *p, &ref.cfg, &err) : NULL;
	if (!m)
		fail_msg("%s: %s", how->what, err.msg);
	return m;
}

static inline int guests_are_there(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
		const char *const files[] = {subjects[i].program, subjects[i].firmware};
		for (unsigned k = 0; k < 2 && files[k]; k++) {
			FILE *f = fopen(files[k], "r");
			if (!f) {
				print_error("%s is missing: make demos test-programs\n", files[k]);
				return -1;
			}
			fclose(f);
		}
	}
	return 0;
}

#endif
