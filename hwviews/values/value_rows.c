#include "hwviews/values/value_rows.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/os/code_versions.h"
#include "hwviews/grid/grid.h"
#include "hwviews/session/place_text.h"

enum { MOST = 256 };

const struct value_daemon *session_values(const struct session *s, struct err *err)
{
	if (!s->launch.values)
		err_set(err, "no module computes values: start with, for example, --values "
		             "results; `cyclops values` lists modules");
	return s->launch.values;
}

uint64_t value_place(const struct session *s, uint64_t pc)
{
	return hotlists_place(pc, os_code_version(machine_os_const(s->machine), pc));
}

bool value_list_is_present(const struct session *s, const struct hotlist_info *info)
{
	return value_place(s, info->pc) == hotlists_place(info->pc, info->version);
}

char *value_place_text(const struct session *s, const struct hotlist_info *info, char *buf,
                       size_t n)
{
	if (value_list_is_present(s, info))
		return format_place(s, info->pc, buf, n);
	snprintf(buf, n, "0x%" PRIx64 ", replaced", info->pc);
	return buf;
}

/* Estimates from coin tosses can exceed the number seen, so the share is at most 1. */
static double value_rows_estimate_share(const struct hot_estimate *e, uint64_t seen)
{
	const double share = seen ? e->estimate / (double)seen : 0;
	return share > 1 ? 1 : share;
}

double value_top_share(const struct hotlists *lists, uint32_t i)
{
	struct hot_estimate top;
	return hotlists_top(lists, i, &top, 1)
	               ? value_rows_estimate_share(&top, hotlists_info(lists, i).seen)
	               : 0;
}

char *value_list_text(const struct value_daemon *d, const struct hotlists *lists, uint32_t i,
                      unsigned most, char *buf, size_t n)
{
	struct hot_estimate top[MOST];
	const struct hotlist_info info = hotlists_info(lists, i);
	const unsigned count = hotlists_top(lists, i, top, most < MOST ? most : MOST);
	size_t used = 0;
	*buf = '\0';
	for (unsigned k = 0; k < count; k++) {
		const int more = snprintf(
			buf + used, n - used, "%s(%.2f%% %s)", k ? " " : "",
			100 * value_rows_estimate_share(&top[k], info.seen),
			value_daemon_format(d, info.kind, info.pc, top[k].value, BUFFER(128)));
		if (more < 0 || (size_t)more >= n - used) {
			buf[used] = '\0';
			break;
		}
		used += (size_t)more;
	}
	return buf;
}
