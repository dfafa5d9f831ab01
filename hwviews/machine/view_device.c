/* `view device`: what devices keep, word by word, as their tables name it (NAME_state.def). */
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/base/state_ranges.h"
#include "core/prof/common/prof.h"
#include "hwviews/session/view_text.h"

static const struct grid_column columns[] = {
	{"part", "part", "", .help = "the device, or a part of it"},
	{"field", "field", "",
	 .help = "its name in the sources; [I] of an array; +N: bytes from the beginning of a "
	         "structure on"},
	{"value", "value", "", .align = ALIGN_RIGHT, .help = "as a number"},
	{"hex", "hex", "", .align = ALIGN_RIGHT, .help = "the same"},
	{"limit", "limit", "", .align = ALIGN_RIGHT,
	 .help = "the most that it may be, or which bits may be set: a checkpoint with anything "
	         "else is refused; nothing where it may be anything"},
	{"meaning", "meaning", "", .flexible = true, .help = "what it is"},
};

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

static void cell_limit(struct grid *g, const struct range_of *of)
{
	if (!of->known || of->kind == RANGE_TEXT)
		grid_blank(g);
	else if (of->kind == RANGE_BITS)
		grid_hex_text(g, ROLE_DIM, of->limit, "bits 0x%llx", (unsigned long long)of->limit);
	else
		grid_uint(g, ROLE_DIM, of->limit);
}

struct lister {
	struct grid *g;
	const struct prof *d;
	const struct device *device;
	const struct device_state *state;
	uint64_t key; /* of its rows, but for the offset */
};

/* Word `word` of element i: a number, or eight bytes of a structure. */
static void word_row(const struct lister *l, const struct state_field *f, size_t i, size_t word)
{
	const size_t at = word * sizeof(uint64_t), left = f->width - at,
		     n = left < sizeof(uint64_t) ? left : sizeof(uint64_t);
	const uint8_t *const field = (const uint8_t *)l->state->at(l->d) + f->offset;
	struct range_of of = {.rs.tell = find, .field = field, .width = f->width};
	char index[32] = "", part[32] = "";
	uint64_t value = 0;
	memcpy(&value, field + i * f->width + at, n);
	if (!value && (f->count > 1 || f->width > sizeof value) && (i || word))
		return;
	if (l->device->ranges && f->width <= sizeof value)
		l->device->ranges(l->d, &of.rs);
	if (f->count > 1)
		snprintf(index, sizeof index, "[%zu]", i);
	if (f->width > sizeof value)
		snprintf(part, sizeof part, " +%zu", at);
	grid_row(l->g, l->key + f->offset + i * f->width + at, ROLE_PLAIN);
	grid_text(l->g, ROLE_DIM, "%s", l->state->name);
	grid_text(l->g, ROLE_PLAIN, "%s%s%s", f->name, index, part);
	grid_uint(l->g, ROLE_NUMBER, value);
	grid_hex(l->g, ROLE_DIM, value);
	cell_limit(l->g, &of);
	grid_text(l->g, ROLE_DIM, "%s", i || word ? "" : f->help);
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
				for (size_t word = 0; word * sizeof(uint64_t) < f->width; word++)
					word_row(&l, f, i, word);
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
	grid_init(out, "Devices, word by word", GRID_TABLE(columns));
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
	.name = "device",
	.title = "Devices, word by word",
	.args = "[NAME]",
	.help.about =
		"What the profiling devices keep in their registers, raw, for whoever wants to\n"
		"see all of it: of one, `view device sampler`, or of all that this machine has.\n"
		"Views of their own show the same as what it means.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"\n"
		"Of arrays and structures words that are 0 are left out, but for the first.",
	.build = build,
};
