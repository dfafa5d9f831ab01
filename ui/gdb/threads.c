/* The threads of the program, as gdb asks for them: whoever makes there be more changes
 * threads_list() and threads_current(). */
#include <inttypes.h>
#include <string.h>

#include "core/os/linux.h"
#include "ui/gdb/server.h"

unsigned threads_list(const struct server *v, uint64_t *ids, unsigned max)
{
	(void)v;
	if (max)
		ids[0] = GUEST_PID;
	return 1;
}

uint64_t threads_current(const struct server *v)
{
	(void)v;
	return GUEST_PID;
}

void threads_name(const struct server *v, uint64_t id, struct answer *a)
{
	if (v->multiprocess)
		answer_text(a, "p%x.", (unsigned)GUEST_PID);
	answer_text(a, "%" PRIx64, id);
}

/* "p3e8.-1", "3e8", "0", "-1": a thread, or any of them. False: that is none. */
static bool parse(const char *text, uint64_t *id, bool *any)
{
	uint64_t process;
	*id = 0;
	*any = false;
	if (take_text(&text, "p")) {
		if (!take_text(&text, "-1") &&
		    (!take_number(&text, &process) || (process && process != GUEST_PID)))
			return false;
		if (!*text)
			return *any = true;
		if (!take_text(&text, "."))
			return false;
	}
	if (!strcmp(text, "-1") || !strcmp(text, "0"))
		return *any = true;
	return take_number(&text, id) && !*text;
}

static bool is_there(const struct server *v, const char *text)
{
	uint64_t ids[THREADS_MAX], id;
	bool any;
	const unsigned n = threads_list(v, ids, THREADS_MAX);
	if (v->m.gone || !parse(text, &id, &any))
		return false;
	for (unsigned i = 0; !any && i < n; i++)
		any = ids[i] == id;
	return any;
}

bool threads_packet(struct server *v, const char *packet, struct answer *a)
{
	if (take_text(&packet, "qfThreadInfo")) {
		uint64_t ids[THREADS_MAX];
		const unsigned n = v->m.gone ? 0 : threads_list(v, ids, THREADS_MAX);
		answer_text(a, n ? "m" : "l");
		for (unsigned i = 0; i < n; i++) {
			answer_text(a, i ? "," : "");
			threads_name(v, ids[i], a);
		}
	} else if (take_text(&packet, "qsThreadInfo")) {
		answer_text(a, "l");
	} else if (!strcmp(packet, "qC")) {
		answer_text(a, "QC");
		threads_name(v, threads_current(v), a);
	} else if (take_text(&packet, "qThreadExtraInfo,")) {
		static const char what[] = "the program";
		if (is_there(v, packet))
			answer_hex(a, what, sizeof what - 1);
		else
			answer_text(a, "E01");
	} else if (*packet == 'H' && packet[1]) {
		answer_text(a, is_there(v, packet + 2) || v->m.gone ? "OK" : "E01");
	} else if (*packet == 'T') {
		answer_text(a, is_there(v, packet + 1) ? "OK" : "E01");
	} else {
		return false;
	}
	return true;
}
