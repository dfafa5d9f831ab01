/* Losses of profiling devices, for the titles of views and reports, and with these for JSON: a
 * profile of the rest looks as complete as one of everything. */
#ifndef CYCLOPS_HWVIEWS_SESSION_LOSS_TEXT_H
#define CYCLOPS_HWVIEWS_SESSION_LOSS_TEXT_H

#include <stddef.h>

#include "hwviews/session/session.h"

enum loss_of {
	LOSS_OF_COP = 1 << 0,
	LOSS_OF_SAMPLER = 1 << 1,
	LOSS_OF_VALUES = 1 << 2,
	LOSS_OF_PROFILEME = 1 << 3,
	LOSS_OF_CODE = 1 << 4 /* counts by address of code that was replaced */
};

/* "; LOST 74.0% of 12,345 records: shares are off by up to 74.0 points" for each of these devices
 * with losses; "" if there are none. For LOSS_OF_CODE: "; code at 0x2000000 to 0x2003fff was
 * replaced: counts there are of all versions" (core/os/code_versions.h). Hotlists know versions,
 * but not those of changes that were missed. The bound is for the worst case: all lost records, as
 * in a burst, had one place. Writes to buf (n bytes), and returns it. */
char *format_loss(const struct session *s, unsigned devices, char *buf, size_t n);

#endif
