/* `monitor COMMAND`: a line of the console's language, whose answer goes to gdb as text. */
#include <string.h>

#include "core/os/journal.h"
#include "ui/console/interrupt.h"
#include "ui/gdb/server.h"

/* Session position: if it differs after a command, gdb's cached state is stale. */
struct stand {
	uint64_t cycle, cuts, changes;
};

static struct stand monitor_session_position(const struct server *v)
{
	struct run_history h;
	run_history(v->m.s->run, &h);
	return (struct stand){machine_cycle(v->m.s->machine), h.cuts, h.changes};
}

bool monitor_packet(struct server *v, const char *hex, struct answer *a)
{
	char line[WIRE_PAYLOAD / 2 + 1];
	const long n = from_hex(hex, line, sizeof line - 1);
	struct err err;
	if (n < 0 || memchr(line, '\0', (size_t)n)) {
		answer_text(a, "E16");
		return true;
	}
	line[n] = '\0';
	v->listens = true;
	if (!spot_settle(&v->m.at, &err)) {
		console_print(v->m.c, "%s\n", err.msg);
		v->listens = false;
		answer_text(a, "OK");
		return true;
	}
	const struct stand was = monitor_session_position(v);
	v->commanded = true;
	v->forsaken = false;
	v->spoke = server_seconds();
	const enum command_result r = n ? console_run(v->m.c, line) : CMD_OK;
	if (r == CMD_ERROR)
		console_print(v->m.c, "%s\n", v->m.c->err.msg);
	v->over = r == CMD_QUIT;
	const struct stand is = monitor_session_position(v);
	if (is.cycle != was.cycle || is.cuts != was.cuts || is.changes != was.changes) {
		v->m.at.back = 0;
		v->m.moved = true;
		v->m.told_end = false;
		console_print(v->m.c,
		              "(gdb shows the old place until `maintenance flush dcache` and "
		              "`maintenance flush register-cache`;\n"
		              "`monitor help gdb` has a hook that does so)\n");
	}
	v->listens = v->commanded = false;
	v->unheard |= interrupt_taken(); /* it stopped the command */
	answer_text(a, "OK");
	return !v->forsaken;
}
