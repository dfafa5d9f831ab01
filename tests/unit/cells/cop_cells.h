/* Common parts of tests of the co-processor's views: its events, numbers and registers in words,
 * and machines of known state. See view_cells.h. */
#ifndef CYCLOPS_TESTS_UNIT_COP_CELLS_H
#define CYCLOPS_TESTS_UNIT_COP_CELLS_H

#include "tests/unit/cells/view_cells.h"

#include <unistd.h>

#include "core/machine/change.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/cop.h"
#include "core/prof/cop/micro_asm.h"
#include "core/prof/cop/micro_code.h"
#include "loader/microprogram.h"

static const char everything[] =
	".program everything\n.fields load: pc, inst, rs1, rs2, result, addr, target\n.fields "
        "store: rs2, addr\n.fields branch: pc, target\n"
	".on load: l\n.on store: s\n.on branch: b\n.const k0 = 3\n.const k2 = 0x12345678\n.const "
        "k3 = 15\n.name three = k0\n.base b1 = 8\n.target t1 = far\n"
	"l: mov v0, result | write cam[x1], pc | inc x1, x1, 6\n"
	"  match x2, pc | xor v1, v0, k2\n"
	"  read v2, cam[x2] | add.16 v3, b1[x2].1, three\n"
	"  free x3 | halve b1[x1]\n"
	"  cmp v0, v2 | if ge goto near\n"
	"  invalidate cam[x2] | if always goto far\n"
	"near: dec.8 v4, b0[x1].2 | sub x4, x1, b1 | if xlt done\n"
	"  ssub.8 v5, v0, three | if sat done likely\n"
	"  test v0, three | if nz goto t1\n"
	"  interrupt\n"
	"s: add v6, v6, rs2 | sub.8 b1[x1].3, addr | done\n"
	"far: rand v7, k2 | clear v8, b0[x1] | if cz done\n"
	"  done\n"
	"b: add v9, pc, target | if lt done likely\n"
	"  invalidate cam | mov x5, match | rand v10, k3 | if z interrupt\n"
	"  done\n";

struct micro_heard {
	uint64_t records, dropped, lost, steps[COP_STEP_COUNT], done, interrupts;
	uint64_t at;        /* of the last microinstruction */
	uint64_t cycle;     /* of its execution; 0: nothing was executed */
};

static void cop_cells_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct micro_heard *h = ctx;
	(void)m;
	h->records += ev->id == EV_SAMPLE;
	h->dropped += ev->id == EV_SAMPLE && ev->sample.dropped;
	h->lost += ev->id == EV_RECORD && ev->record.dropped;
	h->interrupts += ev->id == EV_COP_INTERRUPT;
	if (ev->id != EV_MICRO)
		return;
	h->steps[ev->micro.step]++;
	h->at = ev->micro.at;
	h->cycle = ev->cycle;
}

struct subject {
	struct session *s;
	const struct cop *c;
	const struct micro_image *image; /* NULL: none */
	const struct micro_heard *h;
	const struct prof *d;
	bool now;                        /* an execution in the last cycle */
};

static const struct micro_state *cop_cells_micro_state(const struct subject *a)
{
	return a->c->micro.st;
}
/* ---- words ---- */
static inline const char *number_text(const struct session *s, uint64_t v)
{
	char *out = some_text();
	const struct symbol *sym = program_symbol_at(s->program, v);
	const char *place = place_of(s, v);
	if (v < 65536)
		snprintf(out, 256, "%llu", (ull)v);
	else if (*place && (!sym || sym->size))
		snprintf(out, 256, "0x%llx %s", (ull)v, place);
	else
		snprintf(out, 256, "0x%llx", (ull)v);
	return out;
}

static inline const char *place_in_code(const struct subject *a, unsigned at)
{
	char *out = some_text();
	int best = -1;
	snprintf(out, 256, "%u", at);
	for (unsigned i = 0; a->image && at < a->image->count && i < a->image->label_count; i++)
		if (a->image->labels[i].at <= at &&
		    (best < 0 || a->image->labels[i].at > a->image->labels[best].at))
			best = (int)i;
	if (best >= 0 && a->image->labels[best].at == at)
		snprintf(out, 256, "%s", a->image->labels[best].name);
	else if (best >= 0)
		snprintf(out, 256, "%s+%u", a->image->labels[best].name,
		         at - a->image->labels[best].at);
	return out;
}

static inline const char *alias_of(const struct subject *a, char letter, unsigned number)
{
	char plain[16];
	snprintf(plain, sizeof plain, "%c%u", letter, number);
	for (unsigned i = 0; a->image && i < a->image->alias_count; i++)
		if (!strcmp(a->image->aliases[i].reg, plain))
			return a->image->aliases[i].name;
	return "";
}

static inline const char *register_name(const struct subject *a, char letter, unsigned number)
{
	char *out = some_text();
	snprintf(out, 256, "%c%u", letter, number);
	return *alias_of(a, letter, number) ? alias_of(a, letter, number) : out;
}

static inline uint64_t register_value(const struct subject *a, char letter, unsigned i)
{
	const struct micro_state *st = cop_cells_micro_state(a);
	return letter == 'v'   ? st->v[i]
	       : letter == 'k' ? st->k[i]
	       : letter == 'x' ? st->x[i]
	       : letter == 'b' ? st->b[i]
	                       : st->t[i];
}

static inline const char *cop_cells_format_register(const struct subject *a, char letter,
                                                    uint64_t v)
{
	char *out = some_text();
	if (letter == 't')
		return place_in_code(a, (unsigned)v);
	if (letter != 'k')
		return number_text(a->s, v);
	snprintf(out, 256, v < 65536 ? "%llu" : "0x%llx", (ull)v);
	return out;
}

static inline const char *cop_cells_format_bar(uint64_t at, uint64_t of, unsigned width)
{
	char *out = some_text();
	const uint64_t halves = (at < of ? at : of) * width * 2 / of;
	*out = '\0';
	for (uint64_t i = 0; i < width; i++)
		strcat(out, halves >= 2 * i + 2 || (!i && at) ? "█"
		            : halves >= 2 * i + 1             ? "▌"
		                                              : "░");
	return out;
}

static inline void add_part(char *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void add_part(char *out, const char *fmt, ...)
{
	va_list ap;
	if (*out)
		strcat(out, ", ");
	va_start(ap, fmt);
	vsnprintf(out + strlen(out), 256 - strlen(out), fmt, ap);
	va_end(ap);
}

/* ---- runs ---- */
struct run {
	const char *microprogram, *settings;
	struct device_write writes[4]; /* before the first cycle */
	/* unknown: the writes change the program, so it has no names */
	bool tables, unknown;
};

static inline void cop_cells_write_registers(const struct subject *a,
                                             const struct device_write *writes, size_t n)
{
	struct err err;
	if (!machine_change(a->s->machine,
	                    &(struct change){.kind = JOURNAL_DEVICE,
	                                     .a = DEVICE_COP,
	                                     .bytes = writes,
	                                     .n = n * sizeof *writes},
	                    &err))
		fail_msg("%s", err.msg);
}

static inline struct subject cop_cells_open_subject(const struct run *r, struct micro_heard *h)
{
	const struct event_filter filter = {.mask = EV_BIT(SAMPLE) | EV_BIT(RECORD) |
	                                            EV_BIT(MICRO) | EV_BIT(COP_INTERRUPT)};
	struct device_write writes[140];
	size_t n = 0;
	struct subject a = {.s = open_launch(&(struct launch){.path = "tests/golden/guest.elf",
	                                                      .microprogram = r->microprogram},
	                                     r->settings),
	                    .h = h};
	*h = (struct micro_heard){.cycle = 0};
	a.d = machine_pipe(a.s->machine)->prof;
	a.c = cop_of(a.d);
	while (n < 4 && r->writes[n].offset) {
		writes[n] = r->writes[n];
		n++;
	}
	for (uint64_t w = 0, seed = 12345; r->tables && w < 128; w++) {
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
		writes[n++] = (struct device_write){(w & 1 ? COP_HIGH : COP_LOW) + 8 * (w / 2),
		                                    seed | seed << 17};
	}
	if (n)
		cop_cells_write_registers(&a, writes, n);
	const struct microprogram *m = program_microprogram(a.s->program);
	assert_non_null(m);
	a.image = r->unknown ? NULL : &m->image;
	assert_true(machine_listen(a.s->machine, &filter, cop_cells_on_event, h) > 0);
	return a;
}

static inline void cop_cells_step_machine(struct subject *a)
{
	const uint64_t before =
		a->h->steps[0] + a->h->steps[1] + a->h->steps[2] + a->h->steps[3] + a->h->steps[4];
	machine_step(a->s->machine);
	a->now = a->h->steps[0] + a->h->steps[1] + a->h->steps[2] + a->h->steps[3] +
	                 a->h->steps[4] !=
	         before;
}

enum { COP_RUNS = 4, COP_CYCLES = 9000 };

static const struct run cop_runs[COP_RUNS] = {
	{"tests/cop/slots.mic", "cop.cam=256", {{0}}, false, false},
	{"tests/cop/slots.mic",
         "cop.filter=4K;cop.divider=2",
         {{COP_TABLES, 3}, {COP_SHIFT, 4}, {COP_MASK, 0x4}, {COP_MATCH, 0}},
         true,
         false},
	{NULL,
         "cop.transport=8;cop.buffer=16;cop.divider=4;cop.filter=4K;cop.cam=8;cop.data=64",
         {{COP_TABLES, 1}, {COP_START + 8 * INST_STORE, MICRO_NO_ROUTINE}},
         true,
         true},
	{NULL,
         "cop.cam=8;cop.data=64;cop.filter=4K",
         {{COP_MASK, 4}, {COP_MATCH, 4}},
         false,
         false},
};

/* Runs all of cop_runs, and calls `read` in each cycle; heard[]: their final states. */
static inline void read_runs(void (*read)(const struct subject *a, unsigned cycle),
                             struct micro_heard heard[COP_RUNS])
{
	char path[] = "/tmp/cyclops-cells-XXXXXX";
	const int fd = mkstemp(path);
	assert_true(fd >= 0 &&
	            write(fd, everything, sizeof everything - 1) == (ssize_t)sizeof everything - 1);
	close(fd);
	for (unsigned i = 0; i < COP_RUNS; i++) {
		struct run r = cop_runs[i];
		r.microprogram = r.microprogram ? r.microprogram : path;
		struct subject a = cop_cells_open_subject(&r, &heard[i]);
		read(&a, 0);
		for (unsigned k = 1;
		     k < COP_CYCLES && machine_status(a.s->machine) == MACHINE_RUNNING; k++) {
			cop_cells_step_machine(&a);
			read(&a, k);
			if (a.c->micro.st->halted && k % 64 == 0)
				cop_cells_write_registers(&a, &(struct device_write){COP_RESUME, 1},
				                          1);
		}
		session_free(a.s);
	}
	unlink(path);
}

#endif
