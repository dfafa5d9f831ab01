#include "hwviews/session/loss_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/stats_fields.h"
#include "core/os/code_versions.h"
#include "hwviews/grid/grid.h"

static void loss_append(char *buf, size_t n, double lost, double of, const char *what)
{
	const size_t used = strlen(buf);
	const double percent = of > 0 ? 100 * lost / of : 0;
	if (lost <= 0 || used >= n)
		return;
	if (percent < 0.05)
		snprintf(buf + used, n - used, "; lost %s of %s %s",
		         GROUPED((uint64_t)(lost + 0.5)), GROUPED((uint64_t)of), what);
	else
		snprintf(buf + used, n - used,
		         "; LOST %.1f%% of %s %s: shares are off by up to %.1f points", percent,
		         GROUPED((uint64_t)of), what, percent);
}

/* Estimates the tuples represented by dropped messages, by the average of all messages. */
static double loss_of_messages(const struct stats *s)
{
	const double came = (double)(STAT(s, sampler_selected) - STAT(s, sampler_dropped));
	return STAT(s, sampler_messages) ? came / (double)STAT(s, sampler_messages) *
	                                           (double)STAT(s, sampler_messages_dropped)
	                                 : 0;
}

/* Which code was replaced, and how often changes were missed. */
static void loss_append_code(char *buf, size_t n, const struct os_code_versions *v, bool by_place)
{
	const struct os_code_range *first = NULL;
	unsigned replaced = 0;
	for (uint64_t i = 0; i < v->count; i++)
		if (v->range[i].version) {
			first = first ? first : &v->range[i];
			replaced++;
		}
	size_t used = strlen(buf);
	if (first && !by_place && used < n)
		snprintf(buf + used, n - used,
		         "; code at 0x%" PRIx64 " to 0x%" PRIx64
		         "%s was replaced: counts there are of all versions",
		         first->start, first->end - 1, replaced > 1 ? " and elsewhere" : "");
	used = strlen(buf);
	if (v->missed && used < n)
		snprintf(buf + used, n - used, "; %s changes of code were not followed",
		         GROUPED(v->missed));
}

char *format_loss(const struct session *session, unsigned devices, char *buf, size_t n)
{
	const struct stats *s = machine_stats(session->machine);
	buf[0] = '\0';
	if (devices & LOSS_OF_COP)
		loss_append(buf, n, (double)(STAT(s, cop_dropped) + STAT(s, cop_lost)),
		            (double)STAT(s, cop_records), "records");
	if (devices & LOSS_OF_SAMPLER)
		loss_append(buf, n, (double)STAT(s, sampler_dropped) + loss_of_messages(s),
		            (double)STAT(s, sampler_selected), "tuples");
	if (devices & LOSS_OF_VALUES)
		loss_append(buf, n, (double)STAT(s, vsample_lost),
		            (double)STAT(s, vsample_tuples),
		            "sampled instructions");
	if (devices & LOSS_OF_PROFILEME)
		loss_append(buf, n, (double)STAT(s, profileme_lost),
		            (double)STAT(s, profileme_records), "records");
	if (devices & (LOSS_OF_CODE | LOSS_OF_VALUES))
		loss_append_code(buf, n, os_code_versions(machine_os_const(session->machine)),
		                 !(devices & LOSS_OF_CODE));
	return buf;
}
