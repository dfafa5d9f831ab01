/* `view copslots`: the microprogram's counters, a row for each entry of its array. */
#include <stdio.h>
#include <string.h>

#include "core/prof/cop/micro_code.h"
#include "hwviews/cop/cop_rows.h"
#include "hwviews/cop/cop_slots.h"
#include "hwviews/sampler/sampler_rows.h"
#include "hwviews/session/loss_text.h"

enum { COLUMNS_MAX = 32, FRONT = 3, BAR = 8, GLYPH = 3, PERCENT = 100 };

struct pane {
	struct grid *g;
	const struct session *s;
	const struct micro *m;
	const struct micro_image *image; /* NULL: columns are unknown */
	const struct micro_trace *now;   /* microinstruction executed in this cycle, or NULL */
};

struct row {
	const struct pane *p;
	unsigned entry;
	bool now, valid; /* now: touched in this cycle; valid: match finds it */
	enum role role;
};

/* A column that the microprogram names: number `of`. */
static void view_copslots_fill_word(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct micro_column *c = &r->p->image->columns[grid_of(g)];
	const struct slot_value v = slot_value(r->p->m, r->p->image, grid_of(g), r->entry);
	if (!v.known)
		grid_blank(g);
	else if (v.ratio || c->show == MICRO_SHOW_PERCENT) {
		const double share = v.ratio ? v.d : (double)v.n / PERCENT;
		grid_double_text(g, r->role, PERCENT * share, "%s %.0f %%",
		                 level_bar((uint64_t)(share * PERCENT), PERCENT, BAR,
		                           BUFFER(BAR * GLYPH + 1)),
		                 PERCENT * share);
	} else if (c->show == MICRO_SHOW_PC && !v.n)
		grid_hex_text(g, ROLE_DIM, 0, "·");
	else if (c->show == MICRO_SHOW_PC)
		cell_addr(g, r->p->s, r->role == ROLE_NUMBER ? ROLE_ADDRESS : r->role, v.n);
	else if (c->show == MICRO_SHOW_HEX)
		grid_hex(g, r->role, v.n);
	else
		grid_uint(g, r->role, v.n);
}

FILL(fill_mark, struct row, grid_text(g, ROLE_CURRENT, "%s", r->now ? "◆" : ""))
FILL(fill_slot, struct row, grid_uint_text(g, ROLE_DIM, r->entry, "%u", r->entry))
FILL(fill_valid, struct row, grid_text(g, r->valid ? ROLE_HIT : ROLE_STALE, "%s", r->valid ? "●"
	: "○"))
FILL(fill_key, struct row, grid_hex_text(g, r->role, r->p->m->cam[r->entry], "%s",
	format_micro_value(r->p->s, r->p->m->cam[r->entry], BUFFER(128))))

/* "slot, victim": index registers that point at the entry. For entry 0 only named registers are
 * listed, since unused registers are 0. */
static void fill_index(struct grid *g, const void *row)
{
	const struct pane *p = ((const struct row *)row)->p;
	const unsigned entry = ((const struct row *)row)->entry;
	char text[128] = "";
	size_t n = 0;
	for (unsigned i = 0; i < MICRO_INDEXES; i++) {
		const char *name = micro_register_name(p->image, 'x', i);
		if (p->m->st->x[i] != entry || (!*name && !entry))
			continue;
		n += (size_t)snprintf(text + n, n < sizeof text ? sizeof text - n : 0,
		                      *name ? "%s%s" : "%s%.0sx%u", n ? ", " : "", name, i);
		if (n >= sizeof text)
			break;
	}
	grid_text(g, ROLE_DIM, "%s", text);
}

static const struct grid_column front[FRONT] = {
	{"mark", "", "", fill_mark, .min_width = 1},
	{"slot", "slot", "entry of the associative array", fill_slot, AT_RIGHT,
	 .help = "number of the entry"},
	{"valid", "on", "", fill_valid,
	 .help = "● valid: match finds it; ○ turned off, its counts are still there"},
};

static const struct grid_column key_column[] = {
	{"key", "key", "", fill_key, .help = "without columns of a program: the entry's bits"},
};

static const struct grid_column index_column[] = {
	{"index", "", "index registers that point at it", fill_index, FLEXIBLE,
	 .help = "the index registers that point at it, by name: the current slot, the next one to "
		 "replace"},
};

/* ---- columns ---- */
/* Names in a grid are borrowed: a program's live as long as the session. */
static unsigned columns_of(const struct pane *p, struct grid_column out[COLUMNS_MAX])
{
	unsigned n = FRONT;
	memcpy(out, front, sizeof front);
	for (unsigned i = 0; p->image && i < p->image->column_count && n < COLUMNS_MAX - 1; i++) {
		const struct micro_column *c = &p->image->columns[i];
		out[n++] = (struct grid_column){
			c->name,
			c->name,
			c->kind == MICRO_COLUMN_RATIO ? "percent" : "",
			.fill = view_copslots_fill_word,
			.of = i,
			.align = c->show == MICRO_SHOW_PC || c->kind == MICRO_COLUMN_RATIO
		                         ? ALIGN_LEFT
		                         : ALIGN_RIGHT,
			.flexible = c->show == MICRO_SHOW_PC};
	}
	if (n == FRONT)
		out[n++] = *key_column;
	out[n++] = *index_column;
	return n;
}

/* ---- rows ---- */
static bool is_touched(const struct pane *p, unsigned entry)
{
	const struct micro_trace *t = p->now;
	if (!t || t->fault)
		return false;
	const bool found = t->wrote_x[1] || (t->cam_op != MC_MATCH && t->cam_op != MC_FREE &&
	                                     t->cam_op != MC_INVALIDATE_ALL);
	if (t->cam_op && found && t->cam_index == entry)
		return true;
	return t->data_op && (p->image ? slot_has_word(p->m, p->image, entry, t->data_address)
	                               : t->data_address == entry);
}

static uint64_t pc_of(const struct pane *p, unsigned entry)
{
	for (unsigned i = 0; p->image && i < p->image->column_count; i++)
		if (p->image->columns[i].show == MICRO_SHOW_PC)
			return slot_value(p->m, p->image, i, entry).n;
	return 0;
}

static void view_copslots_append_slot_row(const struct pane *p, unsigned entry)
{
	const bool now = is_touched(p, entry), valid = slot_valid(p->m, entry);
	grid_row(p->g, 1 + (uint64_t)entry, now ? ROLE_CURRENT : valid ? ROLE_PLAIN : ROLE_STALE)
		->pc = pc_of(p, entry);
	grid_cells(p->g, &(struct row){p, entry, now, valid,
	                               now ? ROLE_CURRENT : valid ? ROLE_NUMBER : ROLE_STALE});
	if (now && p->g->focus_row == UINT32_MAX)
		p->g->focus_row = p->g->row_count - 1;
}

static void view_copslots_append_rows(const struct pane *p, bool all)
{
	unsigned valid = 0, used = 0;
	for (unsigned i = 0; i < p->m->cam_n; i++) {
		const bool is_used = slot_used(p->m, p->image, i);
		valid += slot_valid(p->m, i);
		used += is_used;
		if (all || is_used || is_touched(p, i))
			view_copslots_append_slot_row(p, i);
	}
	const char *loss = format_loss(p->s, LOSS_OF_COP | LOSS_OF_CODE, BUFFER(320));
	if (used > valid)
		grid_summary(p->g, "%u/%u on, %u off%s", valid, p->m->cam_n, used - valid, loss);
	else
		grid_summary(p->g, "%u/%u on%s", valid, p->m->cam_n, loss);
}

static bool view_copslots_build_grid(const struct session *s, const struct view_args *args,
                                     struct grid *out, struct err *err)
{
	const struct micro *m = &session_cop(s)->micro;
	const struct pane p = {
		out, s, m, session_micro_image(s),
		cop_executed_now(s) && m->st->last.kind == MICRO_SLOT_CODE ? &m->st->last : NULL};
	struct grid_column columns[COLUMNS_MAX];
	if (!arg_count(args, 1, "copslots", err))
		return false;
	if (args->argc && strcmp(args->argv[0], "all") != 0)
		return err_set(
			err,
			"copslots '%s'? `copslots` shows those in use, `copslots all` every one",
			args->argv[0]);
	const unsigned n = columns_of(&p, columns);
	grid_init(out, "Slots", columns, n);
	out->essential = FRONT + (p.image && p.image->column_count ? p.image->column_count : 1);
	if (out->essential > n)
		out->essential = n;
	grid_empty(out, "no entry of the associative array was written yet");
	view_copslots_append_rows(&p, args->argc > 0);
	return true;
}

const struct view view_copslots = {
	.name = "copslots",
	.title = "Slots",
	.args = "[all]",
	.device = "cop",
	.build = view_copslots_build_grid,
	.help.about =
		"The co-processor's associative array and the words of its entries in the\n"
		"data array, in the columns that the microprogram's .column directives name\n"
		"(`help microcode`); without them, the entries' bits. Only entries that hold\n"
		"something, unless `all` is given.\n"
		"\n"
		"  ◆      read or written in this cycle, by the microinstruction just executed\n",
	.help.tables = {{GRID_TABLE(front), .indent = 9},
                        {GRID_TABLE(key_column), .indent = 9},
                        {GRID_TABLE(index_column), .indent = 9}},
	.help.hints =
		"Of value profiling: pc is the load, value its active value, hits its count\n"
		"since the handler's last turn, total all samples of the load, invariance\n"
		"the share of hits. A slot goes off when a counter is full or its value is a\n"
		"bad one. `print cop.slot[4].hits` prints one, `watch cop.slot[4].hits`\n"
		"stops when it changes. Shaped by cop.cam and cop.data.",
};
