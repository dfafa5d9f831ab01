/* Cells of the reports on sampled values: samples, nearly invariant values, and hints (see
 * view_cells.h). */
#include "core/machine/params.h"
#include "core/prof/common/prof.h"
#include "core/prof/profileme/profileme.h"
#include "core/run/value_daemon.h"
#include "scripting/values/value_modules.h"
#include "tests/unit/cells/sampled_values.h"
#include "tests/unit/loader/cross.h"

#define SETTINGS                                                                                   \
	"vsample.enable=true;vsample.interval_min=20;vsample.interval_max=60;vsample.every=1;"     \
	"vsample.interrupt_cycles=3;vsample.start_cycles=2;"                                       \
	"vsample.inst_cycles=2;vsample.tuple_cycles=3;vsample.service=1;vsample.length=6;"         \
	"profileme.enable=true;profileme.interval_max=20;"                                         \
	"values.gain=2;values.least=5;values.invariant=50"

/* Loads of an invariant or mostly invariant value; a division with a known result, and one by a
 * constant; a multiplication that is a shift; calls through a pointer; a call's result; a value
 * computed from its predecessor. */
static const char guest_text[] =
	"volatile long sink, limit = 7, ten = 10, eight = 8, rare[16] = {3, 3, 3, 3, 3, 5, 3, 3, "
        "3, 3, 3, 3, 3, 3, 3, 3};\n"
	"__attribute__((noinline)) long pick(long x) { return limit + (x > 9); }\n"
	"__attribute__((noinline)) void usual(long x) { sink += pick(1); sink += x; }\n"
	"__attribute__((noinline)) void unusual(long x) { sink -= x; }\n"
	"void (*volatile handler[8])(long) = {usual, usual, usual, unusual, usual, usual, usual, "
        "usual};\n"
	"__attribute__((noinline)) long work(long rounds)\n"
	"{\n"
	"	long s = 0, same = limit;\n"
	"	for (long i = 0, one = eight - 7; i < 200; i++)\n"
	"		__asm__ volatile(\"mul %0, %0, %1\" : \"+r\"(same) : \"r\"(one));\n"
	"	for (long i = 0; i < rounds; i++) {\n"
	"		s += limit;\n"
	"		s += i / ten;\n"
	"		s += 1000 / (limit + 3);\n"
	"		s ^= (i + s) * eight;\n"
	"		if (rare[i & 15] > 4)\n"
	"			s++;\n"
	"		s ^= pick(3) << 3;\n"
	"		handler[i & 7](i);\n"
	"	}\n"
	"	return s + same;\n"
	"}\n"
	"void _start(void)\n"
	"{\n"
	"	sink = work(500);\n"
	"	register int a0 __asm__(\"a0\") = 0, a7 __asm__(\"a7\") = 93;\n"
	"	__asm__ volatile(\"ecall\" :: \"r\"(a0), \"r\"(a7));\n"
	"	for (;;);\n"
	"}\n";
static const char *const kinds[KINDS] = {"results", "operands", "jumps", "addresses"};

/* ---- values ---- */
static void report_values_cells_check_row(struct cells *c, const struct sampled *d, uint64_t pc,
                                          const struct list *l, bool one_kind)
{
	const struct profileme_counts *p = profileme_find(machine_pipe(d->s->machine)->prof, pc);
	const uint64_t retired = p ? p->fates[PROFILEME_FATE_RETIRED] : 0;
	char text[2048] = "";
	assert_int_equal(cells_row(c)->pc, pc);
	if (retired)
		says_double(c, "retdelay", (double)p->delay / (double)retired, "%.4f",
		            (double)p->delay / (double)retired);
	else
		says_nothing(c, "retdelay");
	says_hex(c, "pc", pc);
	says(c, "place", "%s", place_of(d->s, pc));
	says(c, "instruction", "%s", assembly_at(d->s, pc));
	if (!one_kind)
		says(c, "kind", "%s", l ? kinds[l->kind] : "");
	says_uint(c, "vtot", l ? l->seen : 0);
	says_double(c, "thld", l ? 1 : 0, l ? "1.0" : "0.0");
	says_uint(c, "nv", l ? l->distinct : 0);
	for (unsigned i = 0; l && i < l->distinct && i < 16; i++)
		sprintf(text + strlen(text), "%s(%.2f%% %s)", i ? " " : "",
		        100 * (double)l->top[i].times / (double)l->seen,
		        sampled_text(d->s, l->kind, l->top[i].value));
	says(c, "values", "%s", text);
}

/* Checks the lists, of all kinds or of one, up to `limit`. */
static void report_values_cells_check_lists(const struct sampled *d, const char *words, int kind,
                                            unsigned limit)
{
	struct cells c;
	unsigned n = 0;
	cells_open_report(&c, d->s, words);
	for (unsigned i = 0; i < d->lists && n < limit; i++)
		if (kind < 0 || (unsigned)kind == d->list[i].kind) {
			report_values_cells_check_row(&c, d, d->list[i].pc, &d->list[i], kind >= 0);
			n++;
		}
	cells_close(&c);
}

/* A function as a whole, with its lines. */
static void report_values_cells_check_function(const struct sampled *d, const char *name,
                                               bool lines)
{
	const struct symbol *f = program_symbol_by_name(d->s->program, name);
	char words[64];
	const char *last = "";
	struct cells c;
	snprintf(words, sizeof words, "values %s%s", name, lines ? " lines" : "");
	cells_open_report(&c, d->s, words);
	for (uint64_t pc = f->addr; pc < f->addr + f->size;) {
		struct source_line at;
		struct inst in;
		bool any = false;
		const char *line = line_of(d->s, pc);
		if (lines && *line && strcmp(line, last) != 0 &&
		    program_line_at(d->s->program, pc, &at)) {
			const char *text =
				program_source_text(d->s->program, at.file, at.line, NULL);
			cells_row(&c);
			says(&c, "place", "%s", line);
			says(&c, "instruction", "%s", text ? text + strspn(text, " \t") : "");
			static const char *const rest[] = {"retdelay", "pc", "kind",  "vtot",
			                                   "thld",     "nv", "values"};
			for (unsigned i = 0; i < sizeof rest / sizeof *rest; i++)
				says_nothing(&c, rest[i]);
		}
		if (*line) {
			static char kept[64];
			last = strcpy(kept, line);
		}
		for (unsigned kind = 0; kind < KINDS; kind++)
			for (unsigned i = 0; i < d->lists; i++)
				if (d->list[i].pc == pc && d->list[i].kind == kind) {
					report_values_cells_check_row(&c, d, pc, &d->list[i],
					                              false);
					any = true;
				}
		if (!any)
			report_values_cells_check_row(&c, d, pc, NULL, false);
		pc = inst_at(d->s, pc, &in);
	}
	cells_close(&c);
}

static void read_place(const struct sampled *d, uint64_t pc)
{
	char words[64];
	struct cells c;
	snprintf(words, sizeof words, "values 0x%llx", (ull)pc);
	cells_open_report(&c, d->s, words);
	for (unsigned i = 0; i < d->lists; i++)
		if (d->list[i].pc == pc)
			report_values_cells_check_row(&c, d, pc, &d->list[i], false);
	cells_close(&c);
}

/* ---- invariant values ---- */
struct found {
	const struct list *l;
	double time, own, share, least, executions;
	bool always;
};

/* Wilson's bound, two deviations below. */
static double report_values_cells_wilson_bound(double hits, double n)
{
	const double p = hits / n;
	return (p + 2 / n - 2 * sqrt(p * (1 - p) / n + 1 / (n * n))) / (1 + 4 / n);
}

static int report_values_cells_compare_by_time(const void *a, const void *b)
{
	const struct found *x = a, *y = b;
	if (x->time < y->time || x->time > y->time)
		return x->time > y->time ? -1 : 1;
	return x->l->pc != y->l->pc      ? x->l->pc < y->l->pc ? -1 : 1
	       : x->l->kind < y->l->kind ? -1
	                                 : x->l->kind > y->l->kind;
}

static unsigned report_values_cells_find_candidates(const struct sampled *d,
                                                    struct found out[LISTS])
{
	const struct stats *st = machine_stats(d->s->machine);
	unsigned n = 0;
	for (unsigned i = 0; i < d->lists; i++) {
		const struct list *l = &d->list[i];
		const struct profileme_counts *c =
			profileme_find(machine_pipe(d->s->machine)->prof, l->pc);
		struct found *f = &out[n];
		struct inst in;
		*f = (struct found){.l = l,
		                    .share = (double)l->top[0].times / (double)l->seen,
		                    .least = report_values_cells_wilson_bound(
					    (double)l->top[0].times, (double)l->seen)};
		inst_at(d->s, l->pc, &in);
		const bool of_return =
			is_return(&in) || ((op_info[in.op].flags & OPF_LOAD) && in.rd == 1);
		if (l->seen < LEAST || 100 * f->least < INVARIANT || of_return ||
		    is_fixed(d->s, l->pc, l->kind))
			continue;
		f->always = f->share > 0.995 && f->least > 0.9;
		f->own = share_at(d, l->pc);
		f->time = f->own + readers_at(d, l->pc);
		f->executions = c ? (double)c->fates[PROFILEME_FATE_RETIRED] *
		                                (double)STAT(st, profileme_decoded) /
		                                (double)d->records
		                  : 0;
		n++;
	}
	qsort(out, n, sizeof *out, report_values_cells_compare_by_time);
	return n;
}

static void report_values_cells_check_percent(struct cells *c, const char *column, double share,
                                              int digits)
{
	says_double(c, column, 100 * share, "%.*f%%", digits, 100 * share);
}

static void read_invariants(const struct sampled *d, const struct found *all, unsigned n)
{
	struct cells c;
	cells_open_report(&c, d->s, "invariants");
	for (unsigned i = 0; i < n; i++) {
		const struct found *f = &all[i];
		const uint64_t pc = f->l->pc;
		assert_int_equal(cells_row(&c)->pc, pc);
		report_values_cells_check_percent(&c, "cycles", f->time, 2);
		report_values_cells_check_percent(&c, "own", f->own, 2);
		report_values_cells_check_percent(&c, "share", f->share, 1);
		report_values_cells_check_percent(&c, "least", f->least, 1);
		says_uint(&c, "seen", f->l->seen);
		says_word(&c, "value", RAW_HEX, f->l->top[0].value, "%s",
		          sampled_text(d->s, f->l->kind, f->l->top[0].value));
		says_hex(&c, "address", pc);
		says(&c, "place", "%s", place_of(d->s, pc));
		says(&c, "instruction", "%s", assembly_at(d->s, pc));
		says(&c, "line", "%s", line_of(d->s, pc));
		says(&c, "kind", "%s", kinds[f->l->kind]);
		says_uint(&c, "times", (uint64_t)(f->executions + 0.5));
	}
	cells_close(&c);
}

/* ---- what one could do ---- */
struct advice {
	const struct found *f;
	double gain;
	char text[320];
};

static const struct list *report_values_cells_find_list(const struct sampled *d, uint64_t pc,
                                                        unsigned kind)
{
	for (unsigned i = 0; i < d->lists; i++)
		if (d->list[i].pc == pc && d->list[i].kind == kind)
			return &d->list[i];
	return NULL;
}

static bool report_values_cells_reaches_pc(const struct session *s, uint64_t from, uint64_t to)
{
	uint64_t at[CODE];
	const unsigned n = reached(s, from, true, -1, at);
	for (unsigned i = 0; i < n; i++)
		if (at[i] == to)
			return true;
	return false;
}

/* The store that wrote most often where the load reads, 0: none that matters. */
static uint64_t report_values_cells_find_disturber(const struct sampled *d, uint64_t load,
                                                   const struct list *of)
{
	uint64_t most = 0, at = 0;
	struct inst in, store;
	inst_at(d->s, load, &in);
	const uint64_t first = of->top[0].value, end = first + op_info[in.op].mem_bytes;
	for (unsigned i = 0; i < d->lists; i++) {
		const struct list *l = &d->list[i];
		uint64_t hits = 0;
		if (l->kind != ADDRESSES)
			continue;
		inst_at(d->s, l->pc, &store);
		if (!(op_info[store.op].flags & OPF_STORE))
			continue;
		assert_true(l->distinct <= 16);
		for (unsigned k = 0; k < l->distinct && k < 16; k++)
			if (l->top[k].value < end &&
			    first < l->top[k].value + op_info[store.op].mem_bytes)
				hits += l->top[k].times;
		const bool together = report_values_cells_reaches_pc(d->s, load, l->pc) &&
		                      report_values_cells_reaches_pc(d->s, l->pc, load);
		if (hits > most && (together || 100 * hits > of->seen)) {
			most = hits;
			at = l->pc;
		}
	}
	return at;
}

/* True if the value is read by branches alone that compare it with constants. */
static bool is_tested_for(const struct session *s, uint64_t pc)
{
	uint64_t at[CODE];
	struct inst in;
	bool any = false;
	inst_at(s, pc, &in);
	const unsigned reg = in.rd, n = reached(s, pc, false, (int)reg, at);
	for (unsigned i = 0; i < n; i++) {
		inst_at(s, at[i], &in);
		if (in.rs1 != reg && in.rs2 != reg && in.rs3 != reg)
			continue;
		if (!(op_info[in.op].flags & OPF_BRANCH) ||
		    !is_known(s, at[i], in.rs1 == reg ? in.rs2 : in.rs1, 0))
			return false;
		any = true;
	}
	return any;
}

static void advise_load(const struct sampled *d, const struct found *f, struct advice *a,
                        const char *value, unsigned percent)
{
	const uint64_t pc = f->l->pc;
	const struct list *of = report_values_cells_find_list(d, pc, ADDRESSES);
	const bool same = of && (double)of->top[0].times > 0.995 * (double)of->seen;
	const uint64_t store = same ? report_values_cells_find_disturber(d, pc, of) : 0;
	const char *place =
		same ? program_addr_text(d->s->program, of->top[0].value, some_text(), 256) : "";
	const struct symbol *points = program_symbol_at(d->s->program, f->l->top[0].value);
	uint8_t byte;
	const bool elsewhere = machine_peek(d->s->machine, f->l->top[0].value, &byte, 1) &&
	                       !(points && points->addr == f->l->top[0].value);
	if (!f->always || !same)
		sprintf(a->text,
		        "reads %s in %u %% of all cases%s: test for it, and go on without waiting "
		        "for what depends on it",
		        value, percent, same ? "" : ", from several places");
	else if (store)
		sprintf(a->text,
		        "reads %s from %s each time, but %s stores there: test for it, and go on "
		        "without waiting for what depends on it",
		        value, place, line_of(d->s, store));
	else if (report_values_cells_reaches_pc(d->s, pc, pc))
		sprintf(a->text,
		        "reads %s from %s in each iteration, and no store to it was seen: read "
		        "it before the loop, into a local variable",
		        value, place);
	else
		sprintf(a->text,
		        "reads %s from %s each time, and no store to it was seen: make it %s",
		        value, place, elsewhere ? "an argument" : "a constant, or an argument");
}

static bool report_values_cells_build_advice(const struct sampled *d, const struct found *f,
                                             struct advice *a)
{
	const uint64_t v = f->l->top[0].value;
	const char *value = sampled_text(d->s, f->l->kind, v), *name;
	const unsigned percent = f->always       ? (unsigned)(100 * f->share)
	                         : f->share >= 1 ? 99
	                                         : (unsigned)(100 * f->share);
	const bool power = v && !(v & (v - 1));
	struct inst in;
	inst_at(d->s, f->l->pc, &in);
	name = op_info[in.op].mnemonic;
	*a = (struct advice){.f = f, .gain = f->time};
	const unsigned flags = op_info[in.op].flags;
	const bool divides = is_op(&in, "div") || is_op(&in, "rem");
	if (f->l->kind == RESULTS && (flags & OPF_LOAD) && !(flags & (OPF_STORE | OPF_ATOMIC))) {
		if (in.rs1 == 2 || is_tested_for(d->s, f->l->pc))
			return false;
		advise_load(d, f, a, value, percent);
		return true;
	}
	if (f->l->kind == RESULTS && divides) {
		sprintf(a->text,
		        "%s computes %s in %u %% of all cases: test its operands, and skip it then",
		        name, value, percent);
		return true;
	}
	if (f->l->kind == OPERANDS && (divides || power)) {
		const char *instead = !divides ? "a shift instead"
		                      : power  ? "a shift or a mask instead"
		                               : "the compiler multiplies instead";
		sprintf(a->text, "%s by %s in %u %% of all cases: add a case for %s: %s",
		        divides ? "divides" : "multiplies", value, percent, value, instead);
		return true;
	}
	if (f->l->kind == JUMPS) {
		a->gain = f->own + share_at(d, v);
		sprintf(a->text, "%s %s in %u %% of all cases: compare with it, and %s directly",
		        is_call(&in) ? "calls" : "jumps to", value, percent,
		        is_call(&in) ? "call it" : "go there");
		return true;
	}
	return false;
}

static unsigned read_hints(const struct sampled *d, const struct found *all, unsigned n)
{
	static struct advice told[LISTS];
	unsigned count = 0;
	struct cells c;
	for (unsigned i = 0; i < n; i++) {
		struct advice a;
		if (!report_values_cells_build_advice(d, &all[i], &a) || 1000 * a.gain < 2)
			continue;
		unsigned k = count++;
		for (; k && told[k - 1].gain < a.gain; k--)
			told[k] = told[k - 1];
		told[k] = a;
	}
	cells_open_report(&c, d->s, "hints");
	for (unsigned i = 0; i < count; i++) {
		const struct found *f = told[i].f;
		assert_int_equal(cells_row(&c)->pc, f->l->pc);
		report_values_cells_check_percent(&c, "gain", told[i].gain, 1);
		says(&c, "line", "%s", line_of(d->s, f->l->pc));
		says(&c, "function", "%s", function_of(d->s, f->l->pc)->name);
		says(&c, "hint", "%s", told[i].text);
		report_values_cells_check_percent(&c, "share", f->share, 1);
		says_uint(&c, "seen", f->l->seen);
		says_hex(&c, "address", f->l->pc);
		says(&c, "instruction", "%s", assembly_at(d->s, f->l->pc));
	}
	cells_close(&c);
	return count;
}

/* ---- all of it ---- */
TEST(reports_are_what_was_sampled)
{
	static struct heard_values h;
	static struct sampled d;
	static struct found found[LISTS];
	struct config cfg;
	struct cross cross;
	struct err err;
	unsigned hints = 0;
	if (!cross_available())
		skip();
	assert_true(cross_build(&cross, "c", guest_text,
	                        "-O1 -g -static -nostdlib -nostartfiles -Wl,--no-relax"));
	config_default(&cfg);
	assert_true(config_set(&cfg, "values.modules", "results,operands,jumps,addresses", &err) &&
	            config_set(&cfg, "values.method", "exact", &err));
	struct value_modules *modules = value_modules_load(&cfg, &err);
	if (!modules)
		fail_msg("%s", err.msg);
	struct launch launch = {.path = cross.program};
	value_modules_launch(modules, &launch);
	struct session *s = open_launch(&launch, SETTINGS);
	const struct event_filter filter = {.mask = EV_BIT(INTERPRET) | EV_BIT(COMMIT)};
	assert_true(machine_listen(s->machine, &filter, sampled_hear, &h) > 0);
	for (unsigned stop = 0; stop < 3; stop++) {
		run_for(s, stop < 2 ? 4000 : 10000000);
		while (machine_status(s->machine) == MACHINE_RUNNING &&
		       value_daemon_totals(value_modules_daemon(modules)).pairs != h.samples)
			machine_step(s->machine);
		d.s = s;
		sampled_count(&h, &d);
		report_values_cells_check_lists(&d, "values", -1, LISTS);
		report_values_cells_check_lists(&d, "values 5", -1, 5);
		for (int kind = 0; kind < KINDS; kind++) {
			char words[32];
			snprintf(words, sizeof words, "values %s", kinds[kind]);
			report_values_cells_check_lists(&d, words, kind, LISTS);
		}
		report_values_cells_check_function(&d, "work", false);
		report_values_cells_check_function(&d, "work", true);
		read_place(&d, d.list[0].pc);
		const unsigned n = report_values_cells_find_candidates(&d, found);
		read_invariants(&d, found, n);
		hints = read_hints(&d, found, n);
	}
	assert_int_equal(machine_status(s->machine), MACHINE_EXITED);
	assert_true(h.samples > 1000 && hints > 5);
	session_free(s);
	value_modules_free(modules);
	cross_remove(&cross);
}

TEST(report_values_cells_are_complete)
{
	reports_are_complete();
}
