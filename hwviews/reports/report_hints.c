/* Specialisation hints: possible uses of a nearly invariant value, and an upper bound of each one's
 * gain. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/isa/regs.h"
#include "core/mem/mem.h"
#include "core/prof/profileme/profileme.h"
#include "core/prof/values/hotlist.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "hwviews/reports/value_hints.h"
#include "hwviews/session/view_text.h"
#include "hwviews/values/value_rows.h"
#include "loader/dwarf/parameters.h"

/* ---- evidence from sampled addresses: could a load be done once for all? ---- */

struct address_evidence {
	/* sampled addresses of this load; 0: not recorded, or none yet */
	uint64_t seen;
	bool same;        /* nearly all addresses were equal */
	uint64_t address; /* the equal address */
	uint64_t stores;  /* samples of relevant stores to its bytes: see below */
	uint64_t store;   /* pc of the store with most of them */
};

enum { VALUES_MAX = 256 }; /* in a hotlist */

static unsigned address_evidence_access_size(const struct code *c)
{
	return op_info[c->inst.op].mem_bytes;
}

/* Estimated number of stores in list i that wrote to these bytes. */
static uint64_t address_evidence_count_stores_to(const struct hotlists *lists, uint32_t i,
                                                 unsigned width, uint64_t address, unsigned bytes)
{
	struct hot_estimate v[VALUES_MAX];
	const unsigned n = hotlists_top(lists, i, v, VALUES_MAX);
	double sum = 0;
	for (unsigned k = 0; k < n; k++)
		if (v[k].value < address + bytes && address < v[k].value + width)
			sum += v[k].estimate;
	return (uint64_t)(sum + 0.5);
}

static void find_stores(const struct session *s, const struct hotlists *lists, unsigned kind,
                        const struct code *load, struct address_evidence *e)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < hotlists_count(lists); i++) {
		const struct hotlist_info info = hotlists_info(lists, i);
		struct code c;
		if (info.kind != kind || !value_list_is_present(s, &info) ||
		    !code_at(s, info.pc, &c) ||
		    !(inst_flags(&c.inst) & OPF_STORE))
			continue;
		const uint64_t n = address_evidence_count_stores_to(
			lists, i, address_evidence_access_size(&c), e->address,
			address_evidence_access_size(load));
		if (!n || (100 * n <= e->seen &&
		           !(code_leads_to(s, load->pc, c.pc) && code_leads_to(s, c.pc, load->pc))))
			continue;
		e->stores += n;
		if (n > most) {
			most = n;
			e->store = c.pc;
		}
	}
}

/* Evidence for the load at c. Stores are relevant if they share a loop with it, or write there more
 * often than once in a hundred loads: initial stores are harmless. */
static struct address_evidence address_evidence(const struct session *s, const struct code *c)
{
	struct err none;
	struct hot_estimate top;
	const struct value_daemon *d = session_values(s, &none);
	const int kind = d ? value_daemon_kind(d, "addresses", &none) : -1;
	struct address_evidence e = {0};
	if (kind < 0)
		return e;
	const struct hotlists *lists = value_daemon_main(d);
	const uint32_t i = hotlists_find(lists, value_place(s, c->pc), (unsigned)kind);
	if (i == UINT32_MAX || !hotlists_top(lists, i, &top, 1))
		return e;
	const struct hotlist_info info = hotlists_info(lists, i);
	e.seen = info.seen;
	e.same = info.probability >= 1 && 1000 * top.count > 995 * info.seen;
	e.address = top.value;
	if (e.same)
		find_stores(s, lists, (unsigned)kind, c, &e);
	return e;
}

enum { TEXT_MAX = 320 };

struct hint {
	const struct finding *f;
	double gain;         /* share of all cycles, at most */
	char text[TEXT_MAX];
};

/* Per cent of the most frequent value, rounded down: 100 only if the value never differs. */
static unsigned report_hints_finding_percent(const struct finding *f)
{
	const unsigned p = (unsigned)(100 * f->share);
	return p < 100 || f->always ? p : 99;
}

static const char *function_of(const struct session *s, uint64_t pc)
{
	const struct symbol *f = program_symbol_at(s->program, pc);
	return f && f->code ? f->name : "?";
}

/* ---- wording ---- */
/* True if the value is an address without a symbol: on the heap or stack, so valid in this run
 * only. */
static bool is_of_this_run(const struct session *s, uint64_t value)
{
	const struct symbol *named = program_symbol_at(s->program, value);
	return mem_prot_at(machine_mem_const(s->machine), value) &&
	       !(named && named->addr == value);
}

/* True if the linker has set the word. */
static bool is_of_linker(const struct session *s, uint64_t address)
{
	const struct symbol *table = program_symbol_at(s->program, address);
	return table && !strcmp(table->name, "_GLOBAL_OFFSET_TABLE_");
}

/* Hint for a load whose value and address never change. If stores to the address were sampled: test
 * for the value; else read it once or make it a constant. */
static void of_one_place(const struct session *s, struct hint *h, const char *value,
                         const struct address_evidence *e)
{
	char place[96], line[96];
	program_addr_text(s->program, e->address, place, sizeof place);
	if (e->stores)
		snprintf(h->text, sizeof h->text,
		         "reads %s from %s each time, but %s stores there: test for it, and go on "
		         "without waiting for what depends on it",
		         value, place, format_line(s, e->store, line, sizeof line));
	else if (code_leads_to(s, h->f->code.pc, h->f->code.pc))
		snprintf(h->text, sizeof h->text,
		         "reads %s from %s in each iteration, and no store to it was seen: "
		         "read it before the loop, into a local variable",
		         value, place);
	else
		snprintf(h->text, sizeof h->text,
		         "reads %s from %s each time, and no store to it was seen: make it %s",
		         value, place,
		         is_of_this_run(s, h->f->value) ? "an argument"
		                                        : "a constant, or an argument");
}

/* Hint for a load that reads the same word again and again, or mostly. */
static bool report_hints_format_load_hint(const struct session *s, struct hint *h,
                                          const char *value)
{
	const struct finding *f = h->f;
	struct constants before;
	constants_before(s, f->code.pc, &before);
	/* No hint for a spill on the stack, which is the compiler's choice, nor for a value that is
	 * only tested, which delays nothing. */
	if (constants_base(&before, f->code.inst.rs1) == BASE_SP || code_only_tests(s, f->code.pc))
		return false;
	const struct address_evidence e = address_evidence(s, &f->code);
	if (e.same && is_of_linker(s, e.address))
		return false;
	if (f->always && e.same)
		of_one_place(s, h, value, &e);
	else if (f->always && !e.seen)
		snprintf(h->text, sizeof h->text,
		         "reads %s each time: from one place? --values addresses shows it", value);
	else
		snprintf(h->text, sizeof h->text,
		         "reads %s in %u %% of all cases%s: test for it, and go on without waiting "
		         "for what depends on it",
		         value, report_hints_finding_percent(f),
		         e.seen && !e.same ? ", from several places" : "");
	return true;
}

/* Hint for a long operation with an invariant result. The operands may vary, so the operation can't
 * be hoisted. */
static bool of_result(const struct finding *f, struct hint *h, const char *value)
{
	const enum inst_kind kind = inst_kind(f->code.inst.op);
	const enum op_class c = inst_class(&f->code.inst);
	if (kind != INST_DIV && c != CLASS_FDIV && c != CLASS_FSQRT)
		return false;
	snprintf(h->text, sizeof h->text,
	         "%s computes %s in %u %% of all cases: test its operands, and skip it then",
	         op_info[f->code.inst.op].mnemonic, value, report_hints_finding_percent(f));
	return true;
}

/* Hint for a second operand: a division by a constant becomes a multiplication, a multiplication by
 * a power of two a shift. */
static bool report_hints_format_operand_hint(const struct finding *f, struct hint *h,
                                             const char *value)
{
	const struct inst *in = &f->code.inst;
	const enum inst_kind kind = inst_kind(in->op);
	const bool power = f->value && !(f->value & (f->value - 1));
	const char *instead = NULL;
	if (kind == INST_DIV)
		instead = power ? "a shift or a mask instead" : "the compiler multiplies instead";
	else if (kind == INST_MUL && power)
		instead = "a shift instead";
	if (!instead)
		return false;
	snprintf(h->text, sizeof h->text, "%s by %s in %u %% of all cases: add a case for %s: %s",
	         kind == INST_DIV ? "divides" : "multiplies", value,
	         report_hints_finding_percent(f), value, instead);
	return true;
}

/* True if the argument is an address that another run may not have. */
static bool is_address(const struct session *s, uint64_t entry, unsigned reg, uint64_t value)
{
	const struct symbol *named = program_symbol_at(s->program, value);
	struct parameters p;
	bool pointer = false;
	for (unsigned i = 0; program_parameters(s->program, entry, &p) && i < p.count; i++)
		pointer = pointer || (p.at[i].reg == reg && p.at[i].address);
	return is_of_this_run(s, value) || (pointer && value && !(named && named->addr == value));
}

/* "n (a1)", or "a1" if the argument has no name. */
static char *argument_name(const struct session *s, uint64_t entry, unsigned reg, char *buf,
                           size_t n)
{
	struct parameters p;
	snprintf(buf, n, "%s", reg_name(reg));
	for (unsigned i = 0; program_parameters(s->program, entry, &p) && i < p.count; i++)
		if (p.at[i].reg == reg && *p.at[i].name)
			snprintf(buf, n, "%s (%s)", p.at[i].name, reg_name(reg));
	return buf;
}

/* Hint for an argument at a call site; the gain is the function's time in calls from there with
 * that value. */
static bool of_argument(const struct session *s, const struct finding *f, struct hint *h,
                        const char *kind, const char *value)
{
	const struct code *c = &f->code;
	const char *reg = strrchr(kind, '.');
	const struct symbol *callee = called_function(s, c);
	const int number = reg ? reg_from_name(reg + 1) : -1;
	if (!callee || number < 0 || is_address(s, callee->addr, (unsigned)number, f->value) ||
	    !code_takes(s, callee->addr, (unsigned)number))
		return false;
	const struct function_time t = function_time(s, callee);
	const double part = t.entered > 0 ? f->executions / t.entered : 0;
	h->gain = t.share * (part < 1 ? part : 1) * f->share;
	snprintf(h->text, sizeof h->text,
	         "calls %s with %s = %s: specialise it for that (%.1f %% of %s calls seen)",
	         callee->name, argument_name(s, callee->addr, (unsigned)number, BUFFER(64)), value,
	         100 * f->share, GROUPED(f->seen));
	return true;
}

/* Hint for an argument over all callers. */
static void of_function(const struct session *s, const struct argument *a, struct hint *h)
{
	const struct value_daemon *values = s->launch.values;
	char value[64];
	*h = (struct hint){.f = &a->f, .gain = a->f.time};
	value_daemon_format(values, a->f.kind, a->f.code.pc, a->f.value, value, sizeof value);
	snprintf(h->text, sizeof h->text,
	         "is called with %s = %s from %u places: specialise it for that (%.1f %% of %s "
	         "calls seen)",
	         argument_name(s, a->f.code.pc, a->reg, BUFFER(64)), value, a->sites,
	         100 * a->f.share, GROUPED(a->f.seen));
}

/* True if an argument at this call is covered by a hint about the whole function. */
static bool report_hints_is_covered(const struct session *s, const struct arguments *all,
                                    const struct finding *f)
{
	const struct symbol *callee = called_function(s, &f->code);
	for (size_t i = 0; callee && i < all->count; i++)
		if (all->at[i].f.code.pc == callee->addr && all->at[i].f.kind == f->kind &&
		    all->at[i].f.value == f->value)
			return true;
	return false;
}

/* Hint for an indirect jump or call. */
static bool of_target(const struct session *s, const struct finding *f, struct hint *h)
{
	const unsigned flags = inst_flags(&f->code.inst);
	if (!(flags & OPF_INDIRECT) || inst_pops_ras(&f->code.inst))
		return false;
	const struct profileme_counts *to =
		profileme_find(machine_pipe(s->machine)->prof, f->value);
	const uint64_t all = profileme_all_delay(machine_pipe(s->machine)->prof);
	h->gain = f->own + (to && all ? (double)to->delay / (double)all : 0);
	snprintf(h->text, sizeof h->text,
	         "%s %s in %u %% of all cases: compare with it, and %s directly",
	         inst_pushes_ras(&f->code.inst) ? "calls" : "jumps to",
	         format_addr(s, f->value, BUFFER(96)), report_hints_finding_percent(f),
	         inst_pushes_ras(&f->code.inst) ? "call it" : "go there");
	return true;
}

/* False: there is no useful hint. */
static bool report_hints_format_hint(const struct session *s, const struct value_daemon *values,
                                     const struct finding *f, struct hint *h)
{
	const char *kind = value_daemon_source(values)->kind[f->kind].name;
	char value[64];
	*h = (struct hint){.f = f, .gain = f->time};
	value_daemon_format(values, f->kind, f->code.pc, f->value, value, sizeof value);
	if (kind_is_of(kind, "results"))
		return (inst_flags(&f->code.inst) & OPF_MEMORY) == OPF_LOAD
		               ? report_hints_format_load_hint(s, h, value)
		               : of_result(f, h, value);
	if (kind_is_of(kind, "operands"))
		return report_hints_format_operand_hint(f, h, value);
	if (kind_is_of(kind, "args"))
		return of_argument(s, f, h, kind, value);
	return kind_is_of(kind, "jumps") && of_target(s, f, h);
}

ORDER(by_gain, struct hint, DOWN(gain) ?: UP(f->code.pc) ?: UP(f->kind))

struct row {
	const struct session *s;
	const struct hint *h;
	uint64_t pc;
};

FILL(fill_gain, struct row, grid_double_text(g, r->h->gain >= 0.05 ? ROLE_HOT : ROLE_NUMBER,
	100 * r->h->gain, "%.1f%%", 100 * r->h->gain))
FILL(fill_line, struct row, grid_text(g, ROLE_ADDRESS, "%s", format_line(r->s, r->pc, BUFFER(128))))
FILL(fill_function, struct row, grid_text(g, ROLE_ADDRESS, "%s", function_of(r->s, r->pc)))
FILL(fill_hint, struct row, grid_text(g, ROLE_PLAIN, "%s", r->h->text))
FILL(fill_share, struct row, const double share = 100 * r->h->f->share;
	grid_double_text(g, ROLE_NUMBER, share, "%.1f%%", share))
FILL(fill_seen, struct row, grid_uint(g, ROLE_NUMBER, r->h->f->seen))
FILL(fill_address, struct row, grid_hex(g, ROLE_DIM, r->pc))
FILL(fill_instruction, struct row,
	grid_text(g, ROLE_DIM, "%s", code_text(r->s, &r->h->f->code, BUFFER(128))))

static const struct grid_column columns[] = {
	{"gain", "at most", "percent", fill_gain, AT_RIGHT,
	 .help = "possible gain from knowing the value, of all cycles"},
	{"line", "line", "", fill_line, .help = "the source line, and the function"},
	{"function", "in", "", fill_function, .help = AS_BEFORE},
	{"hint", "hint", "", fill_hint, FLEXIBLE, .help = "the suggestion"},
	{"share", "same", "percent", fill_share, AT_RIGHT,
	 .help = "share of the value among those sampled"},
	{"seen", "seen", "values", fill_seen, AT_RIGHT, .help = "how many were"},
	{"address", "address", "", fill_address, AT_RIGHT,
	 .help = "of the instruction, which follows as assembly"},
	{"instruction", "instruction", "", fill_instruction, FLEXIBLE,
	 .help = "the one that it is about"},
};

static void hint_row(struct grid *g, const struct session *s, const struct hint *h)
{
	const uint64_t pc = h->f->code.pc;
	grid_row(g, pc * VALUE_KINDS + h->f->kind, ROLE_PLAIN)->pc = pc;
	grid_cells(g, &(struct row){s, h, pc});
}

static bool report_hints_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	const struct config *cfg = machine_config(s->machine);
	struct findings found;
	struct arguments arguments;
	uint64_t limit;
	size_t n = 0;
	if (!findings_collect(s, &found, err))
		return false;
	if (!arguments_collect(s, &arguments, err)) {
		findings_deinit(&found);
		return false;
	}
	struct hint *h = alloc_bytes((found.count + arguments.count + 1) * sizeof *h);
	bool ok = h || err_set(err, "out of memory for the report");
	for (size_t i = 0; ok && i < arguments.count; i++) {
		of_function(s, &arguments.at[i], &h[n]);
		n += !is_address(s, arguments.at[i].f.code.pc, arguments.at[i].reg,
		                 arguments.at[i].f.value) &&
		     1000 * h[n].gain >= (double)CONFIG(cfg, values_gain);
	}
	for (size_t i = 0; ok && i < found.count; i++)
		n += !report_hints_is_covered(s, &arguments, &found.at[i]) &&
		     report_hints_format_hint(s, s->launch.values, &found.at[i], &h[n]) &&
		     1000 * h[n].gain >= (double)CONFIG(cfg, values_gain);
	ok = ok && oracle_row_limit(args, 0, n, &limit, err);
	if (ok) {
		sort_stable(h, n, sizeof *h, by_gain);
		grid_init(out, "Hints", GRID_TABLE(columns));
		out->essential = 4;
		grid_empty(out, "nothing promises %.1f %% of all cycles",
		           (double)CONFIG(cfg, values_gain) / 10);
		grid_summary(out, "%zu that promise %.1f %% of all cycles at least", n,
		             (double)CONFIG(cfg, values_gain) / 10);
		for (uint64_t i = 0; i < limit; i++)
			hint_row(out, s, &h[i]);
	}
	free(h);
	arguments_deinit(&arguments);
	findings_deinit(&found);
	return ok;
}

const struct report report_hints = {
	.name = "hints",
	.title = "Suggestions for values that are nearly always the same",
	.args = "[ROWS|all]",
	.device = "profileme",
	.build = report_hints_build_grid,
	.help.about =
		"Results of `report invariants` that a programmer can act on:\n"
		"\n"
		"  loads      of the same value in all or most executions. Whether\n"
		"             from one place without stores is known with --values addresses:\n"
		"             without it no load is suggested to be hoisted\n"
		"  divisions  and multiplications by one number (--values operands)\n"
		"  calls      with one argument nearly always, from one place, or of a function\n"
		"             from all places (--values args)\n"
		"  jumps      through a register that go to one place (--values jumps)\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"\"At most\" is a bound on the gain: the share of all cycles that retirement\n"
		"waited there; of a call, the time of the function called from this place\n"
		"with that argument, without callees. A chain of other instructions may take as\n"
		"long: measure. Left out are constants of the code, also those in memory that\n"
		"can't be written, loads from the stack, arguments that are addresses on heap\n"
		"or stack, and values that branches only compare with a constant: they test\n"
		"already. Results hold for this run:\n"
		"with other input they may be wrong, so keep a test. values.gain leaves out\n"
		"smaller gains. Needs --values and profileme.enable=true.",
};
