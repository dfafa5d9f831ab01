/* `view copfilter`: which instructions of the program are tagged, and which are masked. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/prof/common/prof.h"
#include "hwviews/cop/cop_filters.h"
#include "hwviews/cop/cop_rows.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/sampler/sampler_rows.h"

enum { BAR = 12, GLYPH = 3, TEXT = 256, CODE_LINES = 9, ROWS_DEFAULT = 30, REGIONS_SHOWN = 8 };

static const struct grid_column columns[] = {
	{"part", "", "", .help = "the row, its subject, and its effect"},
	{"what", "", "", FLEXIBLE, .help = AS_BEFORE},
	{"says", "", "", FLEXIBLE, .help = AS_BEFORE},
};

enum {
	KEY_TAGS = 1, KEY_REGION, KEY_TABLE, KEY_CLASS = 16, KEY_HEADS = 64, KEY_REGIONS = 128,
	KEY_FUNCTIONS = 256
};
#define KEY_CODE (UINT64_C(1) << 40)

struct pane {
	struct grid *g;
	const struct session *s;
	const struct prof *d;
	const struct cop_state *st;
};

static void view_copfilter_begin_row(const struct pane *p, uint64_t key, enum role role,
                                     const char *part)
{
	grid_row(p->g, key, role);
	grid_text(p->g, role == ROLE_PLAIN ? ROLE_DIM : role, "%s", part);
}

static void view_copfilter_append_head_row(const struct pane *p, unsigned i, const char *part,
                                           const char *what, const char *says)
{
	grid_row(p->g, KEY_HEADS + i, ROLE_HEAD);
	grid_text(p->g, ROLE_HEAD, "%s", part);
	grid_text(p->g, ROLE_HEAD, "%s", what);
	grid_text(p->g, ROLE_HEAD, "%s", says);
}

/* ---- the filters ---- */
static void class_rows(const struct pane *p)
{
	char text[TEXT];
	for (unsigned i = 0; i < INST_KIND_COUNT; i++) {
		if (!(p->st->classes >> i & 1))
			continue;
		const unsigned fields = p->st->fields[i];
		size_t n = (size_t)snprintf(text, sizeof text, "%d word%s%s",
		                            1 + __builtin_popcount(fields), fields ? "s" : "",
		                            fields ? ": header" : ", the header");
		for (unsigned f = 0; f < RECORD_FIELD_COUNT; f++)
			if (fields >> f & 1)
				n += (size_t)snprintf(text + n, sizeof text - n, ", %s",
				                      record_field_name[f]);
		view_copfilter_begin_row(p, KEY_CLASS + i, ROLE_PLAIN, "class");
		grid_text(p->g, ROLE_PROFILE, "%s", inst_kind_name[i]);
		grid_text(p->g, ROLE_PLAIN, "%s", text);
	}
}

static void tags_row(const struct pane *p)
{
	const struct stats *stats = machine_stats(p->s->machine);
	view_copfilter_begin_row(p, KEY_TAGS, ROLE_PLAIN, "tags");
	if (!(p->st->control & COP_TAG))
		grid_text(p->g, ROLE_WAITING, "nothing: bit 1 of control is 0");
	else if (!p->st->classes)
		grid_text(p->g, ROLE_WAITING, "nothing: no class is sampled");
	else
		grid_text(p->g, ROLE_HIT, "on");
	grid_text(p->g, ROLE_PLAIN, "%s so far, %s of them committed",
	          GROUPED(STAT(stats, cop_tagged)), GROUPED(STAT(stats, cop_records)));
}

static void region_row(const struct pane *p)
{
	const unsigned bits = (unsigned)__builtin_popcountll(p->st->mask);
	view_copfilter_begin_row(p, KEY_REGION, ROLE_PLAIN, "region");
	if (!p->st->mask && !p->st->match) {
		grid_text(p->g, ROLE_PLAIN, "all code");
		grid_text(p->g, ROLE_DIM, "its mask is 0");
		return;
	}
	if (p->st->match & ~p->st->mask)
		grid_text(p->g, ROLE_WAITING, "none: 0x%" PRIx64 " has bits that the mask lacks",
		          p->st->match);
	else
		grid_hex_text(p->g, ROLE_PROFILE, p->st->match, "0x%" PRIx64 ", one of %.0f",
		              p->st->match, ldexp(1, (int)bits));
	if (p->st->shift)
		grid_text(p->g, ROLE_PLAIN, "(p xor p >> %" PRIu64 ") & 0x%" PRIx64 ", p = pc / 2",
		          p->st->shift, p->st->mask);
	else
		grid_text(p->g, ROLE_PLAIN, "pc / 2 & 0x%" PRIx64, p->st->mask);
}

static void view_copfilter_append_table_row(const struct pane *p, enum cop_table t)
{
	const uint64_t bits = (uint64_t)CONFIG(p->d->cfg, cop_filter);
	uint64_t set = 0;
	const bool on = p->st->tables >> t & 1;
	for (uint64_t i = 0; i < bits / 64; i++)
		set += (uint64_t)__builtin_popcountll(p->d->cop->table[t][i]);
	const double chance =
		pow((double)set / (double)bits, (double)CONFIG(p->d->cfg, cop_filter_hashes));
	view_copfilter_begin_row(p, KEY_TABLE + t, ROLE_PLAIN,
	                         t == COP_TABLE_HIGH ? "high" : "low");
	grid_uint_text(p->g, on ? ROLE_NUMBER : ROLE_DIM, set, "%s %s of %s bits",
	               level_bar(set, bits, BAR, BUFFER(BAR * GLYPH + 1)), GROUPED(set),
	               GROUPED(bits));
	if (!on)
		grid_text(p->g, ROLE_DIM, "off: bit %u of tables is 0", t);
	else
		grid_text(p->g, ROLE_PLAIN, "masks; others by chance: %.2g %%", 100 * chance);
}

/* ---- counts ---- */
static char *tell_counts(const struct filter_counts *n, char *buf, size_t size)
{
	size_t used = (size_t)snprintf(buf, size, "%s tagged", GROUPED(n->tagged));
	const struct {
		uint64_t n;
		const char *what;
	} others[] = {{n->high, "masked by high"},
	              {n->low, n->high ? "by low" : "masked by low"},
	              {n->elsewhere, "in other regions"}};
	for (unsigned i = 0; i < 3 && used < size; i++)
		if (others[i].n)
			used += (size_t)snprintf(buf + used, size - used, ", %s %s",
			                         GROUPED(others[i].n), others[i].what);
	return buf;
}

static void region_rows(const struct pane *p, const struct filter_survey *v)
{
	unsigned first = 0;
	while (first + 1 < v->region_count && v->regions[first].value < p->st->match)
		first++;
	first = first > REGIONS_SHOWN / 2 ? first - REGIONS_SHOWN / 2 : 0;
	view_copfilter_append_head_row(p, 1, "region", "",
	                               "instructions of these classes, if it were sampled");
	for (unsigned i = first; i < v->region_count && i < first + REGIONS_SHOWN; i++) {
		const struct filter_region *r = &v->regions[i];
		const bool here = r->value == p->st->match;
		view_copfilter_begin_row(p, KEY_REGIONS + i, here ? ROLE_CURRENT : ROLE_PLAIN,
		                         here ? "▶" : "");
		grid_hex(p->g, here ? ROLE_CURRENT : ROLE_NUMBER, r->value);
		grid_text(p->g, here ? ROLE_CURRENT : ROLE_PLAIN, "%s",
		          tell_counts(&r->n, BUFFER(TEXT)));
	}
	if (v->more_regions || v->region_count > first + REGIONS_SHOWN) {
		view_copfilter_begin_row(p, KEY_REGIONS + FILTER_REGIONS, ROLE_DIM, "");
		grid_text(p->g, ROLE_DIM, "…");
		grid_text(p->g, ROLE_DIM, v->more_regions ? "more than %u regions" : "%u regions",
		          v->region_count);
	}
}

static void function_rows(const struct pane *p, const struct filter_survey *v)
{
	char text[TEXT];
	if (!v->function_count)
		return;
	snprintf(text, sizeof text, "%u function%s with masked instructions", v->function_count,
	         v->function_count == 1 ? "" : "s");
	view_copfilter_append_head_row(p, 2, "masked", "function", text);
	for (unsigned i = 0; i < FILTER_FUNCTIONS && v->functions[i].addr; i++) {
		const struct filter_function *f = &v->functions[i];
		view_copfilter_begin_row(p, KEY_FUNCTIONS + f->addr, ROLE_PLAIN, "");
		grid_last_row(p->g)->pc = f->addr;
		grid_hex_text(p->g, ROLE_ADDRESS, f->addr, "%s",
		              format_addr(p->s, f->addr, BUFFER(128)));
		grid_text(p->g, ROLE_PLAIN, "%s", tell_counts(&f->n, text, sizeof text));
	}
}

static void survey_rows(const struct pane *p)
{
	struct filter_survey v;
	if (!(p->st->control & COP_TAG) || !p->st->classes ||
	    (!p->st->mask && !p->st->match && !p->st->tables))
		return; /* no class is selected */
	filter_survey(p->s, &v);
	view_copfilter_begin_row(p, KEY_REGION + 4, ROLE_PLAIN, "code");
	grid_text(p->g, ROLE_PLAIN, "all of the program's");
	grid_text(p->g, ROLE_PLAIN, "%s", tell_counts(&v.all, BUFFER(TEXT)));
	if (p->st->mask)
		region_rows(p, &v);
	function_rows(p, &v);
}

/* ---- instructions ---- */
/* The action of decode, in one or two words; `why` gives the full reason. */
static char *tell_fate(const struct pane *p, unsigned kind, uint64_t pc, char *buf, size_t n)
{
	const uint64_t region = cop_region_hash(pc, p->st->shift) & p->st->mask;
	if (!(p->st->classes >> kind & 1))
		snprintf(buf, n, "%s", inst_kind_name[kind]);
	else if (cop_wants(p->d, kind, pc))
		snprintf(buf, n, "%s: tagged", inst_kind_name[kind]);
	else if (!(p->st->control & COP_TAG))
		snprintf(buf, n, "%s, but nothing is tagged", inst_kind_name[kind]);
	else if (region != p->st->match)
		snprintf(buf, n, "%s, in region 0x%" PRIx64, inst_kind_name[kind], region);
	else
		snprintf(buf, n, "%s, masked by %s", inst_kind_name[kind],
		         (p->st->tables >> COP_TABLE_HIGH & 1) &&
		                         cop_masks(p->d, COP_TABLE_HIGH, pc) ? "high" : "low");
	return buf;
}

static void code_rows(const struct pane *p, uint64_t pc, size_t lines)
{
	uint64_t at[CODE_LINES];
	size_t index;
	char text[TEXT], line[TEXT + 128];
	struct code code;
	const size_t n = code_around(p->s, pc, lines / 3, lines, at, &index);
	view_copfilter_append_head_row(p, 0, "at", "instruction", "decode's decision now");
	for (size_t i = 0; i < n; i++) {
		if (!code_at(p->s, at[i], &code))
			continue;
		const unsigned kind = inst_kind(code.inst.op);
		const bool wanted = cop_wants(p->d, kind, code.pc + code.prefix), here = i == index,
			   asked = p->st->classes >> kind & 1;
		view_copfilter_begin_row(p, KEY_CODE + at[i], here ? ROLE_CURRENT : ROLE_PLAIN,
		                         here ? "▶" : "");
		grid_last_row(p->g)->pc = at[i];
		snprintf(line, sizeof line, "%s  %s", format_addr(p->s, at[i], BUFFER(128)),
		         code_text(p->s, &code, text, sizeof text));
		grid_text(p->g,
		          here     ? ROLE_CURRENT
		          : wanted ? ROLE_PROFILE : asked ? ROLE_DROPPED : ROLE_DIM,
		          "%s", line);
		grid_text(p->g,
		          here ? ROLE_CURRENT : wanted ? ROLE_HIT : asked ? ROLE_DROPPED : ROLE_DIM,
		          "%s", tell_fate(p, kind, code.pc + code.prefix, text, sizeof text));
	}
}

static bool view_copfilter_build_grid(const struct session *s, const struct view_args *args,
                                      struct grid *out, struct err *err)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	const struct pane p = {out, s, d, d->cop->st};
	const struct uop *u = s->selected_seq ? session_uop(s) : NULL;
	uint64_t pc = u ? u->pc : machine_pc(s->machine);
	if (!arg_count(args, 1, "copfilter", err) ||
	    (args->argc && !arg_address(s, args->argv[0], &pc, err)))
		return false;
	grid_init(out, "Co-processor's filters", GRID_TABLE(columns));
	grid_texts(out, "what");
	out->essential = sizeof columns / sizeof *columns;
	tags_row(&p);
	class_rows(&p);
	region_row(&p);
	for (unsigned t = 0; t < COP_TABLE_COUNT; t++)
		view_copfilter_append_table_row(&p, (enum cop_table)t);
	survey_rows(&p);
	code_rows(&p, pc, CODE_LINES);
	return true;
}

const struct view view_copfilter = {
	.name = "copfilter",
	.title = "Co-processor's filters",
	.args = "[LOCATION]",
	.device = "cop",
	.build = view_copfilter_build_grid,
	.help.about =
		"Instructions that decode tags for the co-processor: those of a class that the\n"
		"program samples, in the sampled region of code, that no table masks.\n"
		"A tagged one leaves a record when it commits.\n"
		"\n"
		"  class   of instructions, and the fields of their records\n"
		"  region  of all code: those whose address, hashed and masked, is this number.\n"
		"          An overloaded handler samples one region after another\n"
		"  high    a bit table: an instruction is masked if all its bits are set, one\n"
		"          for each hash function. With more bits set, more instructions\n"
		"          are masked by chance. By convention high masks\n"
		"          known invariant instructions\n"
		"  low     another, for known variant ones\n"
		"  code    the number of instructions selected; then region by\n"
		"          region, ▶ the sampled one, and the functions in which most\n"
		"          is masked\n"
		"  at      decode's decision for the instructions around pc, the selected\n"
		"          one or LOCATION. `why` shows it for one in flight\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints = "Shaped by cop.filter and cop.filter_hashes.",
};
