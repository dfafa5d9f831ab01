/* Zn and zn: the breakpoints and watchpoints that gdb inserts. */
#include "ui/gdb/server.h"

void points_packet(struct server *v, const char *args, bool inserts, struct answer *a)
{
	uint64_t type;
	struct point g = {0};
	struct err err;
	if (!take_number(&args, &type) || !take_text(&args, ",") ||
	    !take_range(&args, &g.addr, &g.size)) {
		answer_text(a, "E16");
		return;
	}
	if (type >= POINT_TYPES)
		return;
	g.type = (unsigned)type;
	if (!inserts)
		points_remove(&v->m, &g);
	if (inserts && !points_insert(&v->m, &g, &err))
		answer_text(a, "E.%s", err.msg);
	else
		answer_text(a, "OK");
}
