/* `view device`: the state of devices, word by word, with the names of their tables
 * (NAME_state.def). */
#include "core/defs/config_fields.h"

#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/base/state_ranges.h"
#include "core/pipe/xprof/xprof.h"
#include "core/prof/common/prof.h"
#include "hwviews/session/view_text.h"

/* Finds a field's range among those by which a device's checkpoints are validated. */
struct range_of {
	struct ranges rs; /* must be first */
	const void *field;
	size_t width;
	bool known;
	enum range_kind kind;
	uint64_t limit;
};

static void view_device_match_field_range(struct ranges *rs, const struct range *r)
{
	struct range_of *of = (struct range_of *)rs;
	const uintptr_t from = (uintptr_t)r->first, at = (uintptr_t)of->field;
	if (at < from || (at - from) % r->row_bytes || (at - from) / r->row_bytes >= r->rows ||
	    r->width != of->width)
		return;
	of->known = true;
	of->kind = r->kind;
	of->limit = r->limit;
}

/* A word: a number, or up to eight bytes of a structure. */
struct row {
	const struct state_part *table;
	const struct state_field *field;
	size_t n, i, at; /* index in the table, in an array; first byte */
	uint64_t value;
	struct range_of range;
};

FILL(fill_part, struct row, grid_text(g, ROLE_DIM, "%s", r->table->name))

static void fill_field(struct grid *g, const void *row)
{
	const struct row *r = row;
	char row_index[32] = "", index[32] = "", offset[32] = "";
	if (r->table->rows > 1)
		snprintf(row_index, sizeof row_index, "[%zu].", r->n);
	if (r->field->count > 1)
		snprintf(index, sizeof index, "[%zu]", r->i);
	if (r->field->width > sizeof r->value)
		snprintf(offset, sizeof offset, " +%zu", r->at);
	grid_text(g, ROLE_PLAIN, "%s%s%s%s", row_index, r->field->name, index, offset);
}

FILL(fill_value, struct row, grid_uint(g, ROLE_NUMBER, r->value))
FILL(fill_hex, struct row, grid_hex(g, ROLE_DIM, r->value))

static void fill_limit(struct grid *g, const void *row)
{
	const struct range_of *of = &((const struct row *)row)->range;
	if (!of->known || of->kind == RANGE_TEXT)
		grid_blank(g);
	else if (of->kind == RANGE_BITS)
		grid_uint_text(g, ROLE_DIM, of->limit, "bits 0x%llx",
		               (unsigned long long)of->limit);
	else
		grid_uint(g, ROLE_DIM, of->limit);
}

FILL(fill_meaning, struct row,
	grid_text(g, ROLE_DIM, "%s", r->n || r->i || r->at ? "" : r->field->help))

static const struct grid_column columns[] = {
	{"part", "part", "", fill_part, .help = "the device, or a part of it"},
	{"field", "field", "", fill_field,
	 .help = "its name in the sources; [I] of an array; [I]. before it: of a table's entry; "
	         "+N: bytes from the beginning of a structure on"},
	{"value", "value", "", fill_value, AT_RIGHT, .help = "as a number"},
	{"hex", "hex", "", fill_hex, AT_RIGHT, .help = "the same"},
	{"limit", "limit", "", fill_limit, AT_RIGHT,
	 .help = "its maximum, or the bits that may be set: other values in a checkpoint are "
		 "refused; empty: any value"},
	{"meaning", "meaning", "", fill_meaning, FLEXIBLE, .help = "what it is"},
};

/* Xprof is part of the pipeline, not in the table of devices. */
enum { XPROF = DEVICE_COUNT, EVERYTHING };

struct lister {
	struct grid *g;
	const struct pipe *p;
	unsigned device; /* enum device_id, or XPROF */
	uint64_t key;    /* key before the table's first word */
};

static void list_ranges(const struct lister *l, struct ranges *rs)
{
	if (l->device == XPROF)
		xprof_ranges(l->p, rs);
	else if (devices[l->device]->ranges)
		devices[l->device]->ranges(l->p->prof, rs);
}

static void word_row(const struct lister *l, struct row row)
{
	const struct state_field *f = row.field;
	const size_t left = f->width - row.at, start = row.n * row.table->row_bytes + f->offset,
		     at = start + row.i * f->width + row.at;
	const uint8_t *const first = row.table->first;
	row.range = (struct range_of){.rs.tell = view_device_match_field_range,
	                              .field = first + start,
	                              .width = f->width};
	memcpy(&row.value, first + at, left < sizeof row.value ? left : sizeof row.value);
	if (!row.value && (row.i || row.at))
		return;
	if (f->width <= sizeof row.value)
		list_ranges(l, &row.range.rs);
	grid_row(l->g, 1 + l->key + at, ROLE_PLAIN);
	grid_cells(l->g, &row);
}

static bool is_zero(const struct state_part *t, size_t n)
{
	const uint8_t *at = (const uint8_t *)t->first + n * t->row_bytes;
	return !*at && !memcmp(at, at + 1, t->row_bytes - 1);
}

static void table_rows(const struct lister *l, const struct state_part *t)
{
	for (size_t n = 0; n < t->rows; n++)
		for (unsigned k = 0; k < t->fields && (!n || !is_zero(t, n)); k++)
			for (size_t i = 0; i < t->field[k].count; i++)
				for (size_t at = 0; at < t->field[k].width; at += sizeof(uint64_t))
					word_row(l, (struct row){.table = t, .field = &t->field[k],
					                         .n = n, .i = i, .at = at});
}

static void view_device_append_device_rows(struct grid *g, const struct pipe *p, unsigned device)
{
	struct state_part tables[STATE_PARTS_MAX];
	const unsigned n = device == XPROF            ? xprof_tables(p, tables)
	                   : devices[device]->tables ? devices[device]->tables(p->prof, tables) : 0;
	for (unsigned i = 0; i < n; i++)
		table_rows(&(struct lister){g, p, device, ((uint64_t)device << 8 | i) << 32},
		           &tables[i]);
}

static bool view_device_is_present(const struct config *cfg, unsigned device)
{
	return device == XPROF ? CONFIG(cfg, xprof) : device_exists(cfg, (enum device_id)device);
}

static bool view_device_resolve_device_name(const char *name, unsigned *out, struct err *err)
{
	struct nearest near;
	*out = strcmp(name, "xprof") ? (unsigned)device_of_name(name) : XPROF;
	if (*out == XPROF ? !strcmp(name, "xprof") : !strchr(name, '.'))
		return true;
	nearest_init(&near, name);
	nearest_offer(&near, "xprof");
	for (unsigned i = 0; i < DEVICE_COUNT; i++)
		nearest_offer(&near, device_rows[i].name);
	return err_set(err, "no device is called '%s': %s", name,
	               nearest_said(&near, "`view device` lists them"));
}

static bool view_device_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	const struct config *cfg = machine_config(s->machine);
	unsigned only = EVERYTHING;
	if (args->argc > 1)
		return err_set(err, "view device takes one device at most, as in: view device %s",
		               device_rows[DEVICE_SAMPLER].name);
	if (args->argc && !view_device_resolve_device_name(args->argv[0], &only, err))
		return false;
	if (only < EVERYTHING && !view_device_is_present(cfg, only))
		return err_set(err, "this machine has no %s: start with %s",
		               only == XPROF ? "xprof" : device_rows[only].name,
		               only == XPROF ? "-o xprof.enable=true" : device_rows[only].option);
	grid_init(out, "Devices, word by word", GRID_TABLE(columns));
	for (unsigned i = 0; i < EVERYTHING; i++)
		if ((only == EVERYTHING || only == i) && view_device_is_present(cfg, i))
			view_device_append_device_rows(out, machine_pipe(s->machine), i);
	if (!out->row_count)
		grid_empty(out, "no device keeps anything here: start with, for example, -o "
		                "sampler.enable=true");
	return true;
}

const struct view view_device = {
	.name = "device",
	.title = "Devices, word by word",
	.args = "[NAME]",
	.build = view_device_build_grid,
	.help.about = "Contents of the profiling devices' registers and tables, raw:\n"
		      "of one, `view device sampler`, `view device xprof`, or\n"
		      "of all that this machine has. The devices' own views interpret them.",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"Words of arrays and structures that are 0 are left out, except the first, and\n"
		"so are entries of tables that are all 0.",
};
