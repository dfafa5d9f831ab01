/* `view device`: what devices keep, word by word, as their tables name it (NAME_state.def). */
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/base/state_ranges.h"
#include "core/prof/common/prof.h"
#include "hwviews/session/view_text.h"

/* Of all ranges of a device that of a field: what checkpoints are validated by. */
struct range_of {
	struct ranges rs; /* first */
	const void *field;
	size_t width;
	bool known;
	enum range_kind kind;
	uint64_t limit;
};

static void find(struct ranges *rs, const struct range *r)
{
	struct range_of *of = (struct range_of *)rs;
	if (r->first != of->field || r->width != of->width)
		return;
	of->known = true;
	of->kind = r->kind;
	of->limit = r->limit;
}

/* A word: a number, or up to eight bytes of a structure. */
struct row {
	const char *part;
	const struct state_field *field;
	size_t i, at; /* of an array which; bytes from its beginning on */
	uint64_t value;
	struct range_of range;
};

FILL(fill_part, struct row, grid_text(g, ROLE_DIM, "%s", r->part))

static void fill_field(struct grid *g, const void *row)
{
	const struct row *r = row;
	char index[32] = "", offset[32] = "";
	if (r->field->count > 1)
		snprintf(index, sizeof index, "[%zu]", r->i);
	if (r->field->width > sizeof r->value)
		snprintf(offset, sizeof offset, " +%zu", r->at);
	grid_text(g, ROLE_PLAIN, "%s%s%s", r->field->name, index, offset);
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

FILL(fill_meaning, struct row, grid_text(g, ROLE_DIM, "%s", r->i || r->at ? "" : r->field->help))

static const struct grid_column columns[] = {
	{"part", "part", "", fill_part, .help = "the device, or a part of it"},
	{"field", "field", "", fill_field,
	 .help = "its name in the sources; [I] of an array; +N: bytes from the beginning of a "
	         "structure on"},
	{"value", "value", "", fill_value, AT_RIGHT, .help = "as a number"},
	{"hex", "hex", "", fill_hex, AT_RIGHT, .help = "the same"},
	{"limit", "limit", "", fill_limit, AT_RIGHT,
	 .help = "the most that it may be, or which bits may be set: a checkpoint with anything "
	         "else is refused; nothing where it may be anything"},
	{"meaning", "meaning", "", fill_meaning, FLEXIBLE, .help = "what it is"},
};

struct lister {
	struct grid *g;
	const struct prof *d;
	const struct device *device;
	const struct device_state *state;
	uint64_t key; /* of its rows, but for the offset */
};

static void word_row(const struct lister *l, const struct state_field *f, size_t i, size_t at)
{
	const size_t left = f->width - at, n = left < sizeof(uint64_t) ? left : sizeof(uint64_t);
	const uint8_t *const field = (const uint8_t *)l->state->at(l->d) + f->offset;
	struct row row = {.part = l->state->name, .field = f, .i = i, .at = at,
	                  .range = {.rs.tell = find, .field = field, .width = f->width}};
	memcpy(&row.value, field + i * f->width + at, n);
	if (!row.value && (i || at))
		return;
	if (l->device->ranges && f->width <= sizeof row.value)
		l->device->ranges(l->d, &row.range.rs);
	grid_row(l->g, l->key + f->offset + i * f->width + at, ROLE_PLAIN);
	grid_cells(l->g, &row);
}

static void device_rows_of(struct grid *g, const struct prof *d, enum device_id id)
{
	const struct device *device = devices[id];
	for (unsigned s = 0; s < device->states; s++) {
		const uint64_t key = ((uint64_t)id << 8 | s) << 32;
		const struct lister l = {g, d, device, &device->state[s], 1 + key};
		for (unsigned k = 0; k < l.state->fields; k++) {
			const struct state_field *f = &l.state->field[k];
			for (size_t i = 0; i < f->count; i++)
				for (size_t at = 0; at < f->width; at += sizeof(uint64_t))
					word_row(&l, f, i, at);
		}
	}
}

static bool find_device(const char *name, enum device_id *out, struct err *err)
{
	struct nearest near;
	*out = device_of_name(name);
	if (*out < DEVICE_COUNT && !strchr(name, '.'))
		return true;
	nearest_init(&near, name);
	for (unsigned i = 0; i < DEVICE_COUNT; i++)
		nearest_offer(&near, device_rows[i].name);
	return err_set(err, "no device is called '%s': did you mean '%s'?", name,
	               near.best ? near.best : device_rows[0].name);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	enum device_id only = DEVICE_COUNT;
	if (args->argc > 1)
		return err_set(err, "view device takes one device at most, as in: view device %s",
		               device_rows[DEVICE_SAMPLER].name);
	if (args->argc && !find_device(args->argv[0], &only, err))
		return false;
	if (only < DEVICE_COUNT && !device_exists(d->cfg, only))
		return err_set(err, "this machine has no %s: start with %s", device_rows[only].name,
		               device_rows[only].option);
	grid_init(out, "Devices, word by word", columns, sizeof columns / sizeof *columns);
	for (unsigned i = 0; i < DEVICE_COUNT; i++)
		if ((only == DEVICE_COUNT || only == (enum device_id)i) &&
		    device_exists(d->cfg, (enum device_id)i))
			device_rows_of(out, d, (enum device_id)i);
	if (!out->row_count)
		grid_empty(out, "no device keeps anything here: start with -o sampler.enable=true, "
		                "say");
	return true;
}

const struct view view_device = {
	.name = "device", .title = "Devices, word by word", .args = "[NAME]", .build = build,
	.help.about =
		"What the profiling devices keep in their registers, raw, for whoever wants to\n"
		"see all of it: of one, `view device sampler`, or of all that this machine has.\n"
		"Views of their own show the same as what it means.",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints = "Of arrays and structures words that are 0 are left out, but for the first.",
};
