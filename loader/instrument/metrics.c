#include "loader/instrument/metrics.h"

#include <stdio.h>
#include <string.h>

#include "core/defs/stats.h"
#include "core/isa/csr.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/kind.h"

enum { NAME_MAX_BYTES = 64 };

/* No metric; NULL stands for the default. */
static const char nothing[] = "";

static bool is_counter(const char *name, const struct stat_row **row, struct err *err)
{
	*row = stat_find(name, err);
	return *row && (!(*row)->derived ||
	                err_set(err, "%s is a ratio; a counter counts events or cycles", name));
}

bool metrics_parse(struct instrument_options *o, const char *text, struct err *err)
{
	const char *found[INSTRUMENT_METRICS] = {nothing, nothing};
	for (unsigned i = 0; i == 0 || *text; i++) {
		char name[NAME_MAX_BYTES];
		const struct stat_row *row;
		const size_t n = strcspn(text, ",");
		if (i == INSTRUMENT_METRICS)
			return err_set(err, "'%s' is one metric too many: there are %d counters",
			               text, INSTRUMENT_METRICS);
		snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1),
		         text);
		if (!*name)
			return err_set(err,
			               "no metrics given; expected one or two statistics, such as "
			               "sim.cycles,l1d.misses");
		if (!is_counter(name, &row, err))
			return false;
		found[i] = row->name;
		text += n;
		if (*text && !*++text)
			return err_set(err,
			               "no metric after %s; expected one or two statistics, such "
			               "as sim.cycles,l1d.misses",
			               name);
	}
	memcpy(o->metrics, found, sizeof found);
	return true;
}

static bool put_select(struct job *j, const uint64_t id[INSTRUMENT_METRICS])
{
	struct writer w;
	writer_init(&w, -1);
	const uint32_t entry = edit_inst_at(j->e, edit_entry(j->e));
	writer_begin(&w, job_live_at(j, entry), 0);
	writer_put_constant(&w, w.temporary[0], (int64_t)(id[0] | id[1] << 32));
	writer_put(&w, OP_CSRRW, REG_SINK, w.temporary[0], 0, CSR_PICSELECT);
	writer_end(&w);
	return edit_before(j->e, entry, w.code, w.n, j->err);
}

bool metrics_select(struct job *j)
{
	char names[INSTRUMENT_METRICS * NAME_MAX_BYTES];
	uint64_t id[INSTRUMENT_METRICS] = {0, 0};
	size_t n = 0;
	for (unsigned i = 0; i < INSTRUMENT_METRICS; i++) {
		const char *name = j->o->metrics[i] ? j->o->metrics[i] : instrument_metrics[i];
		const struct stat_row *row;
		if (*name && !is_counter(name, &row, j->err))
			return false;
		id[i] = *name ? stat_id(name) : 0;
		n += (size_t)snprintf(names + n, sizeof names - n, "%s", name) + 1;
	}
	return put_select(j, id) && edit_section(j->e, METRICS_SECTION, names, n, j->err);
}

bool program_metrics(const struct program *p, const char *names[INSTRUMENT_METRICS])
{
	uint64_t bytes;
	const char *at = program_section(p, METRICS_SECTION, &bytes), *end = at ? at + bytes : NULL;
	for (unsigned i = 0; i < INSTRUMENT_METRICS; i++) {
		const char *next = at && at < end ? memchr(at, '\0', (size_t)(end - at)) : NULL;
		if (!next)
			return false;
		names[i] = *at ? at : NULL;
		at = next + 1;
	}
	return true;
}
