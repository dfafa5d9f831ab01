/* The co-processor's filters, records, transport queue, bus and sample buffer, against a reference
 * that is computed here from what commits: the whole sample buffer and both drop counters in every
 * cycle. The reference knows instructions, a register file of its own and a queue of single words;
 * when the engine takes a record it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/machine/change.h"
#include "core/machine/machine.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"
#include "loader/launch.h"

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
	unsigned table_bits; /* of 8, that are set in tables */
	unsigned expects;    /* what must have happened, else the case says nothing */
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
	struct device_write writes[WRITES_MAX]; /* behind the image's */
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

/* What was heard in this cycle. */
static struct happened {
	unsigned commits, pops, samples, records;
	struct cop_record commit[CYCLE_MAX]; /* all fields */
	bool firmware[CYCLE_MAX];
	struct ev_sample sample[CYCLE_MAX];
	uint64_t sample_seq[CYCLE_MAX];
	struct ev_record record[CYCLE_MAX];
} heard;

static uint64_t written(unsigned offset)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < ref.write_count; i++)
		if (ref.writes[i].offset == offset)
			value = ref.writes[i].value;
	return value;
}

/* The hashes as cop.h says them, with arithmetic instead of shifts. */
static bool in_tables(uint64_t pc)
{
	static const uint64_t divisor[] = {32, 128, 512, 2048};
	const uint64_t p = pc / 2;
	for (unsigned t = 0; t < 2; t++) {
		unsigned set = 0;
		if (!(written(COP_TABLES) & (1u << t)))
			continue;
		for (unsigned i = 0; i < ref.cfg.cop_filter_hashes; i++) {
			const uint64_t bit = (p ^ p / divisor[i]) % (uint64_t)ref.cfg.cop_filter;
			set += (unsigned)(written((unsigned)((t ? 0x50000 : 0x40000) +
			                                     bit / 64 * 8)) >>
			                          bit % 64 &
			                  1);
		}
		if (set == ref.cfg.cop_filter_hashes)
			return true;
	}
	return false;
}

static bool selected(const struct cop_record *r)
{
	uint64_t h = r->pc / 2;
	for (unsigned i = 0; i < REG_COUNT && written(COP_SHIFT); i++) /* h / 2^shift */
		h = i < written(COP_SHIFT) ? h / 2 : h;
	h = written(COP_SHIFT) ? h ^ r->pc / 2 : r->pc / 2;
	if (!(written(COP_CONTROL) & COP_TAG) || !(ref.image->classes & (1u << r->kind)))
		return false;
	const bool masked = (h & written(COP_MASK)) != written(COP_MATCH) || in_tables(r->pc);
	ref.masked += masked;
	return !masked;
}

static struct cop_record *wanted(const struct cop_record *all)
{
	struct cop_record *r = malloc(sizeof *r);
	assert_non_null(r);
	*r = *all;
	r->fields = ref.image->fields[r->kind];
	r->words = 1;
	uint64_t *field = &r->pc; /* the seven words that follow each other */
	for (unsigned i = 0; i < 7; i++) {
		if (r->fields & (1u << i))
			r->words++;
		else
			field[i] = 0;
	}
	return r;
}

static void commit_records(uint64_t now)
{
	unsigned samples = 0;
	for (unsigned i = 0; i < heard.commits; i++) {
		if (heard.firmware[i] || !selected(&heard.commit[i]))
			continue;
		struct cop_record *r = wanted(&heard.commit[i]);
		const bool room = ref.queued + r->words <= (unsigned)ref.cfg.cop_transport;
		ref.records++;
		for (unsigned w = 0; room && w < r->words; w++)
			ref.queue[ref.queued++] = (struct word){r, w + 1u == r->words, now};
		assert_true(samples < heard.samples);
		const struct ev_sample *ev = &heard.sample[samples];
		assert_int_equal(heard.sample_seq[samples++], r->seq);
		assert_true(ev->words == r->words && ev->waiting == ref.queued &&
		            ev->dropped == !room);
		if (!room) {
			ref.dropped++;
			free(r);
		}
	}
	assert_int_equal(samples, heard.samples);
}

static void take(void)
{
	assert_true(ref.count > 0);
	ref.used -= ref.buffer[0]->words;
	free(ref.buffer[0]);
	memmove(ref.buffer, ref.buffer + 1, --ref.count * sizeof *ref.buffer);
}

static void arrive(uint64_t now)
{
	unsigned n = 0;
	for (; n < ref.flying && ref.bus[n].due == now; n++) {
		struct cop_record *r = ref.bus[n].record;
		const bool room = ref.used + r->words <= (unsigned)ref.cfg.cop_buffer;
		r->arrived = now;
		ref.used += room ? r->words : 0;
		assert_true(n < heard.records);
		const struct ev_record *ev = &heard.record[n];
		assert_true(ev->kind == r->kind && ev->words == r->words &&
		            ev->waiting == ref.used && ev->dropped == !room);
		if (room) {
			ref.buffer[ref.count++] = r;
		} else {
			ref.lost++;
			free(r);
		}
	}
	assert_int_equal(n, heard.records);
	ref.flying -= n;
	memmove(ref.bus, ref.bus + n, ref.flying * sizeof *ref.bus);
}

static void send(uint64_t now)
{
	unsigned n = 0;
	for (; n < ref.queued && n < (unsigned)ref.cfg.cop_bus && ref.queue[n].since < now; n++) {
		if (!ref.queue[n].last)
			continue;
		ref.bus[ref.flying].record = ref.queue[n].of;
		ref.bus[ref.flying++].due = now + (uint64_t)ref.cfg.cop_bus_latency;
	}
	ref.queued -= n;
	memmove(ref.queue, ref.queue + n, ref.queued * sizeof *ref.queue);
}

static void reference_cycle(uint64_t now)
{
	commit_records(now);
	for (unsigned i = 0; i < heard.pops; i++)
		take();
	arrive(now);
	send(now);
}

static void reference_free(void)
{
	while (ref.count)
		take();
	for (unsigned i = 0; i < ref.flying; i++)
		free(ref.bus[i].record);
	for (unsigned i = 0; i < ref.queued; i++)
		if (ref.queue[i].last)
			free(ref.queue[i].of);
}

/* ---- what commits ---- */
static void hear_commit(const struct machine *m, const struct event *ev)
{
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	const struct inst *in = &u->inst;
	const enum inst_kind kind = inst_kind((enum op)in->op);
	const bool memory = kind == INST_LOAD || kind == INST_STORE || kind == INST_ATOMIC;
	const uint64_t pc = u->pc + u->prefix_len, rs1 = in->rs1 ? ref.reg[in->rs1] : 0,
		       rs2 = in->rs2 ? ref.reg[in->rs2] : 0;
	const uint64_t began = u->mem.level == LEVEL_NONE ? u->when.issue : u->when.mem;
	unsigned events = u->exec.next_pc != pc + in->len;
	events |= (u->flags & UF_MISPREDICT) ? 2 : 0;
	if (memory)
		events |= (u->mem.level == LEVEL_L2 || u->mem.level == LEVEL_MEMORY ? 4u : 0) |
		          (u->mem.level == LEVEL_MEMORY ? 8u : 0) |
		          (u->flags & UF_TLB_MISS ? 16u : 0);
	assert_true(heard.commits < CYCLE_MAX);
	heard.firmware[heard.commits] = (u->flags & UF_MACHINE) != 0;
	heard.commit[heard.commits++] = (struct cop_record){
		.pc = pc,
		.inst = in->len == 4 ? in->raw : in->raw & 0xffff,
		.rs1 = rs1,
		.rs2 = rs2,
		.result = in->rd < REG_COUNT ? ev->commit.result : 0,
		.addr = !memory               ? 0
	                : kind == INST_ATOMIC ? rs1
	                                      : rs1 + (uint64_t)(int64_t)in->imm,
		.target = u->exec.next_pc,
		.seq = ev->seq,
		.latency = (uint32_t)(u->when.done - began),
		.events = (uint16_t)events,
		.kind = (uint16_t)kind};
	ref.prefixed += u->prefix_len && (ref.image->classes & 1u << kind);
	ref.missed += (events & 8) != 0;
	if (in->rd && in->rd < REG_COUNT)
		ref.reg[in->rd] = ev->commit.result;
	ref.resync |= in->op == OP_ECALL;
}

static void hear(void *ctx, const struct machine *m, const struct event *ev)
{
	(void)ctx;
	switch (ev->id) {
	case EV_COMMIT:
		hear_commit(m, ev);
		break;
	case EV_SAMPLE:
		heard.sample_seq[heard.samples] = ev->seq;
		heard.sample[heard.samples++] = ev->sample;
		break;
	case EV_RECORD:
		heard.record[heard.records++] = ev->record;
		break;
	default:
		assert_int_equal(ev->cycle % (uint64_t)ref.cfg.cop_divider, 0);
		heard.pops += ev->micro.step != COP_STEP_ON;
		assert_true(heard.pops <= 1);
	}
	assert_true(heard.samples < CYCLE_MAX && heard.records < CYCLE_MAX);
}

/* ---- comparing ---- */
static void compare(const struct subject *how, const struct machine *m)
{
	const struct prof *d = machine_pipe(m)->prof;
	const struct stats *s = machine_stats(m);
	if (d->cop->st->count != ref.count || s->cop_dropped != ref.dropped ||
	    s->cop_lost != ref.lost || s->cop_records != ref.records)
		fail_msg("%s, cycle %llu: %llu in the buffer, %llu dropped, %llu lost of %llu; "
		         "should be %u, %llu, %llu of %llu",
		         how->what, (unsigned long long)machine_cycle(m),
		         (unsigned long long)d->cop->st->count, (unsigned long long)s->cop_dropped,
		         (unsigned long long)s->cop_lost, (unsigned long long)s->cop_records,
		         ref.count, (unsigned long long)ref.dropped, (unsigned long long)ref.lost,
		         (unsigned long long)ref.records);
	for (unsigned i = 0; i < ref.count; i++)
		if (memcmp(cop_record_at(d, i), ref.buffer[i], sizeof **ref.buffer) != 0)
			fail_msg("%s, cycle %llu: record %u of instruction %llu is another",
			         how->what, (unsigned long long)machine_cycle(m), i,
			         (unsigned long long)ref.buffer[i]->seq);
	assert_int_equal(d->cop->st->words, ref.queued);
	assert_int_equal(d->cop->st->sent, ref.flying);
	assert_int_equal(d->cop->st->buffer_words, ref.used);
}

static void expect(const struct subject *how, const struct machine *m)
{
	const struct stats *s = machine_stats(m);
	const unsigned got = (s->cop_dropped ? DROPS : 0u) | (s->cop_lost ? LOSES : 0u) |
	                     (ref.masked && s->cop_records ? MASKS : 0u) |
	                     (s->cop_tagged > s->cop_records + 100 ? WRONG_PATH : 0u) |
	                     (s->firmware_insts ? FIRMWARE : 0u) | (ref.prefixed ? PREFIXES : 0u) |
	                     (ref.count ? KEEPS : 0u) | (ref.missed ? MISSES : 0u) |
	                     (s->cop_skipped > 100 ? SKIPS : 0u);
	if ((got & how->expects) != how->expects)
		fail_msg("%s: 0x%x has happened, which says nothing about 0x%x", how->what, got,
		         how->expects & ~got);
	if (written(COP_CONTROL) == (COP_RUN | COP_TAG) && !written(COP_MASK) &&
	    !written(COP_MATCH))
		assert_true(s->cop_samples + s->cop_skipped > 500);
	assert_true(!written(COP_MATCH) || (written(COP_MATCH) & ~written(COP_MASK)) == 0 ||
	            s->cop_records == 0);
	assert_null(prof_check(machine_pipe(m)->prof));
}

/* ---- running ---- */
static void write_registers(struct machine *m, const struct device_write *writes, size_t n)
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

/* Bits by a multiplicative hash of their word. */
static void add_tables(unsigned of_eight)
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

static void configure(const struct subject *how, struct machine *m, const struct micro_image *image)
{
	struct err err;
	size_t n;
	struct device_write *load = cop_load(&ref.cfg, image, &n, &err);
	assert_non_null(load);
	write_registers(m, load, n);
	free(load);
	ref.image = image;
	ref.writes[ref.write_count++] = (struct device_write){COP_CONTROL, COP_RUN | COP_TAG};
	for (unsigned i = 0; i < 5; i++)
		if (how->writes[i].offset || how->writes[i].value)
			ref.writes[ref.write_count++] = how->writes[i];
	for (unsigned i = 0; i < 5; i++) /* offset 0 is control, and its value not 0 */
		assert_true(how->writes[i].offset || how->writes[i].value || !how->writes[i].value);
	add_tables(how->table_bits);
	write_registers(m, ref.writes, ref.write_count);
}

static struct machine *launched(const struct subject *how, struct program **p)
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

static void run_subject(const struct subject *how)
{
	struct micro_image image = {0};
	struct program *p;
	struct err err;
	ref = (struct reference){0};
	struct machine *m = launched(how, &p);
	if (!micro_assemble(how->text, strlen(how->text), "text", NULL, 0, &image, &err))
		fail_msg("%s", err.msg);
	configure(how, m, &image);
	const struct event_filter f = {.mask = EV_BIT(COMMIT) | EV_BIT(SAMPLE) | EV_BIT(RECORD) |
	                                       EV_BIT(MICRO)};
	assert_true(machine_listen(m, &f, hear, NULL) > 0);
	for (unsigned r = 0; r < REG_COUNT; r++)
		ref.reg[r] = machine_reg(m, r);
	for (unsigned i = 0; i < CYCLES; i++) {
		const uint64_t now = machine_cycle(m);
		heard = (struct happened){0};
		if (!machine_step(m))
			break;
		reference_cycle(now);
		compare(how, m);
		for (unsigned r = 0; ref.resync && r < REG_COUNT; r++)
			ref.reg[r] = machine_reg(m, r);
		ref.resync = false;
	}
	expect(how, m);
	reference_free();
	machine_free(m);
	program_free(p);
	micro_image_free(&image);
}

static void all_records_come_as_they_should(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++)
		run_subject(&subjects[i]);
}

/* ---- what it does to the machine ---- */
/* Statistics that are not the co-processor's. */
static void expect_same(const struct machine *a, const struct machine *b)
{
	for (size_t i = 0; i < stat_row_count; i++) {
		if (strncmp(stat_rows[i].name, "cop.", 4) == 0)
			continue;
		const double x = stat_value(machine_stats(a), &stat_rows[i]),
			     y = stat_value(machine_stats(b), &stat_rows[i]);
		if (x < y || x > y)
			fail_msg("%s: %g and %g", stat_rows[i].name, x, y);
	}
}

static struct machine *ran(const struct subject *how, bool loaded, struct program **p)
{
	struct micro_image image = {0};
	struct err err;
	ref = (struct reference){0};
	struct machine *m = launched(how, p);
	assert_true(micro_assemble(everything, strlen(everything), "text", NULL, 0, &image, &err));
	/* what is changed empties the pipeline, in all three */
	assert_true(machine_set_reg(m, 31, 0, &err));
	if (loaded)
		configure(how, m, &image);
	machine_run(m, UINT64_MAX, UINT64_MAX);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	micro_image_free(&image);
	return m;
}

static void the_machine_does_the_same(void **state)
{
	(void)state;
	const struct subject with = {.program = "build/demos/longjmp",
	                             .settings = {"cop.bus=4", NULL}},
			     without = {.program = "build/demos/longjmp",
	                                .settings = {"cop.enable=false", NULL}};
	struct program *p[3];
	struct machine *m[] = {ran(&without, false, &p[0]), ran(&with, false, &p[1]),
	                       ran(&with, true, &p[2])};
	assert_int_equal(machine_stats(m[1])->cop_tagged, 0);
	assert_true(machine_stats(m[2])->cop_records > 10000);
	expect_same(m[0], m[1]);
	expect_same(m[0], m[2]);
	for (unsigned i = 0; i < 3; i++) {
		machine_free(m[i]);
		program_free(p[i]);
	}
}

static void nothing_is_tagged_without_timing(void **state)
{
	(void)state;
	const struct subject how = {.program = "build/demos/fib", .text = slow};
	struct micro_image image = {0};
	struct program *p;
	struct err err;
	ref = (struct reference){0};
	struct machine *m = launched(&how, &p);
	assert_true(micro_assemble(slow, strlen(slow), "text", NULL, 0, &image, &err));
	configure(&how, m, &image);
	machine_run(m, 3000, UINT64_MAX);
	while (!cop_of(machine_pipe(m)->prof)->st->way_count)
		assert_true(machine_step(m));
	const uint64_t tagged = machine_stats(m)->cop_tagged,
		       samples = machine_stats(m)->cop_samples;
	const struct cop_state was = *cop_of(machine_pipe(m)->prof)->st;
	assert_true(tagged > 100 && was.way_count);
	assert_true(machine_set_reg(m, 31, machine_reg(m, 31), &err)); /* empties the pipeline */
	machine_run_functional(m, 20000, true);
	assert_int_equal(machine_stats(m)->cop_tagged, tagged);
	assert_int_equal(machine_stats(m)->cop_samples, samples);
	assert_memory_equal(cop_of(machine_pipe(m)->prof)->st, &was, sizeof was);
	machine_run(m, machine_cycle(m) + 3000, UINT64_MAX);
	assert_true(machine_stats(m)->cop_samples > samples + 100);
	assert_null(prof_check(machine_pipe(m)->prof));
	machine_free(m);
	program_free(p);
	micro_image_free(&image);
}

static int guests_are_there(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_records_come_as_they_should),
		cmocka_unit_test(the_machine_does_the_same),
		cmocka_unit_test(nothing_is_tagged_without_timing),
	};
	return cmocka_run_group_tests(tests, guests_are_there, NULL);
}
