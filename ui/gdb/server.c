/* Handles gdb's packets. */
#include "ui/gdb/server.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/os/journal.h"
#include "core/os/linux.h"
#include "core/os/os.h"
#include "core/os/signals.h"
#include "core/os/thread.h"
#include "ui/console/here.h"
#include "ui/console/interrupt.h"
#include "ui/console/stop_commands.h"
#include "ui/render/safe_print.h"

/* ---- monitor COMMAND: a console command; gdb gets the answer as text ---- */
/* Handles qRcmd,: runs a console command and sends its text; *a receives the final answer. False:
 * don't send *a, as gdb no longer waits for an answer. */
static bool monitor_packet(struct server *v, const char *hex, struct answer *a)
{
	char line[WIRE_PAYLOAD / 2 + 1];
	const long n = from_hex(hex, line, sizeof line - 1);
	if (n < 0 || memchr(line, '\0', (size_t)n)) {
		answer_text(a, "E16");
		return true;
	}
	line[n] = '\0';
	v->listens = true;
	const struct stand was = here_stand(v->m.c);
	v->commanded = true;
	v->forsaken = false;
	v->spoke = server_seconds();
	/* The motions of a command leave their own; gdb has the stop of the last reply. */
	const struct halt reported = v->m.halt;
	here_look(v->m.c);
	const enum command_result r = n ? console_run(v->m.c, line) : CMD_OK;
	here_settle(v->m.c);
	machine_look_from(v->m.s->machine, NULL);
	v->m.halt = reported;
	if (r == CMD_ERROR)
		console_print(v->m.c, "%s\n", v->m.c->err.msg);
	v->over = r == CMD_QUIT;
	if (here_has_moved(v->m.c, &was)) {
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

/* ---- Zn and zn: breakpoints and watchpoints that gdb inserts ---- */
/* Handles Zn,addr,kind[;CONDITIONS] and zn,addr,kind; args begins after the letter. */
static void points_packet(struct server *v, const char *args, bool inserts, struct answer *a)
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
	if (!inserts) {
		points_remove(&v->m, &g);
		conditions_drop(&v->conditions, &g);
	} else if (!conditions_set(&v->conditions, &g, g.type <= 1 ? args : "")) {
		answer_text(a, "E16");
		return;
	}
	if (inserts && !points_insert(&v->m, &g, &err)) {
		conditions_drop(&v->conditions, &g);
		answer_text(a, "E.%s", err.msg);
	} else {
		answer_text(a, "OK");
	}
}

/* ---- text for the peer ---- */
static void say_to_peer(struct server *v, const char *text, size_t n)
{
	enum { PIECE = 2048 };
	while (n && v->wire && v->listens) {
		struct answer a = {.n = 0};
		const size_t piece = n < PIECE ? n : PIECE;
		answer_text(&a, "O");
		answer_hex(&a, text, piece);
		wire_put(v->wire, a.bytes, a.n);
		text += piece;
		n -= piece;
	}
}

void server_say(void *ctx, const char *text, size_t n)
{
	struct server *v = ctx;
	if (!v->m.quiet && v->listens)
		say_to_peer(v, text, n);
	else if (!v->m.quiet && !v->wire)
		fwrite(text, 1, n, stderr);
}

void server_output(void *ctx, int fd, const void *bytes, size_t n)
{
	struct server *v = ctx;
	if (v->output_to_peer) {
		say_to_peer(v, bytes, n);
		return;
	}
	if (fd == 2)
		fflush(stdout);
	say_output(fd == 2 ? stderr : stdout, bytes, n);
	fflush(stdout);
}

time_t server_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

bool server_progress(void *ctx, uint64_t cycle)
{
	struct server *v = ctx;
	(void)cycle;
	if (interrupt_came())
		return true;
	if (!v->wire || !v->listens)
		return false;
	if (v->commanded && wire_has_packet(v->wire)) {
		v->forsaken = true;
		v->listens = false;
		return true;
	}
	/* gdb treats two seconds of silence as an error. */
	if (v->commanded && server_seconds() > v->spoke) {
		v->spoke = server_seconds();
		wire_put_text(v->wire, "O");
	}
	return wire_wants_stop(v->wire);
}

/* ---- stops ---- */
/* gdb's numbers of Linux's signals 1 to 64 (include/gdb/signals.def of its sources). */
static unsigned gdb_signal(unsigned linux_signal)
{
	enum { UNKNOWN = 143, FIRST_REAL_TIME = 33, REAL_TIME_33 = 45, REAL_TIME_32 = 77,
	       REAL_TIME_64 };
	static const uint8_t numbers[FIRST_REAL_TIME] = {
		0,       1,  2,  3,  4,  5,  6,  10, 8,  9,  30, 11, 31, 13, 14, 15,
		UNKNOWN, 20, 19, 17, 18, 21, 22, 16, 24, 25, 26, 27, 28, 23, 32, 12,
		REAL_TIME_32};
	return linux_signal < FIRST_REAL_TIME     ? numbers[linux_signal]
	       : linux_signal == OS_SIGNALS - 1 ? REAL_TIME_64
	                                          : REAL_TIME_33 + linux_signal - FIRST_REAL_TIME;
}

/* Linux's number of gdb's; 0: there is none. */
static unsigned linux_signal(uint64_t gdb)
{
	for (unsigned i = 1; i < OS_SIGNALS; i++)
		if (gdb_signal(i) == gdb)
			return i;
	return 0;
}

/* Handles QPassSignals, the list of signals that don't stop the program. */
static void server_pass_signals(struct server *v, const char *list, struct answer *a)
{
	uint64_t stop = UINT64_MAX, number;
	while (take_number(&list, &number)) {
		const unsigned sig = linux_signal(number);
		stop &= sig ? ~signal_bit(sig) : UINT64_MAX;
		take_text(&list, ";");
	}
	answer_text(a, signals_arm(&v->m, stop) ? "OK" : "E.out of memory");
}

static void server_append_stop_reply(struct server *v, struct answer *a)
{
	const struct halt *h = &v->m.halt;
	switch (h->kind) {
	case HALT_EXITED:
	case HALT_KILLED:
		answer_text(a, "%c%02x", h->kind == HALT_EXITED ? 'W' : 'X',
		            h->kind == HALT_EXITED ? (unsigned)h->number & 0xff
		                                   : gdb_signal((unsigned)h->number));
		if (v->multiprocess)
			answer_text(a, ";process:%x", (unsigned)GUEST_PID);
		return;
	case HALT_FAILED:
		answer_text(a, "E.%s", h->why.msg);
		return;
	case HALT_ALONE:
		if (v->no_resumed) {
			answer_text(a, "N");
			return;
		}
		answer_text(a, "T05");
		break;
	case HALT_INTERRUPT:
		answer_text(a, "T02");
		break;
	case HALT_SIGNAL:
		answer_text(a, "T%02x", gdb_signal((unsigned)h->number));
		break;
	default:
		answer_text(a, "T05");
		break;
	}
	if (h->kind == HALT_SWBREAK && v->swbreak)
		answer_text(a, "swbreak:;");
	else if (h->kind == HALT_HWBREAK && v->hwbreak)
		answer_text(a, "hwbreak:;");
	else if (h->kind == HALT_BEGIN)
		answer_text(a, "replaylog:begin;");
	else if (h->kind >= HALT_WATCH && h->kind <= HALT_AWATCH)
		answer_text(a, "%s:%" PRIx64 ";",
		            h->kind == HALT_WATCH    ? "watch"
		            : h->kind == HALT_RWATCH ? "rwatch"
		                                     : "awatch",
		            h->addr);
	const bool there = h->tid && os_thread_find(machine_os_const(v->m.s->machine), h->tid) >= 0;
	v->general = there ? h->tid : threads_current(v);
	answer_text(a, "thread:");
	threads_name(v, v->general, a);
	answer_text(a, ";");
	registers_expedite(v, a);
}

typedef void motion_fn(struct mover *v);

static void server_run_motion(struct server *v, motion_fn *motion, struct answer *a)
{
	if (v->m.gone) {
		server_append_stop_reply(v, a);
		return;
	}
	if (v->interrupted) {
		v->interrupted = false;
		v->m.halt = (struct halt){.kind = HALT_INTERRUPT};
		server_append_stop_reply(v, a);
		return;
	}
	v->listens = true;
	motion(&v->m);
	v->listens = false;
	v->unheard |= interrupt_taken(); /* it is answered */
	v->over |= v->m.gone && !v->extended;
	server_append_stop_reply(v, a);
}

/* Handles c, s, Cxx and Sxx: with signal xx, or none. */
static void server_resume(struct server *v, const char *args, struct answer *a)
{
	const char letter = *args++;
	uint64_t number = 0;
	if ((letter == 'C' || letter == 'S') && !take_number(&args, &number)) {
		answer_text(a, "E16");
		return;
	}
	v->m.deliver = (int)linux_signal(number);
	server_run_motion(v, letter == 'c' || letter == 'C' ? motion_continue : motion_step, a);
}

/* Handles the signal of an action for a thread, 0: any. False: it has no number. */
static bool server_action_signal(struct server *v, const char *action, uint64_t id)
{
	const char letter = *action++;
	uint64_t number = 0;
	if ((letter == 'C' || letter == 'S') && !take_number(&action, &number))
		return false;
	const unsigned sig = linux_signal(number);
	if (!id || id == spot_tid(v->m.at))
		v->m.deliver = (int)sig;
	else if (sig)
		v->m.to_send[os_thread_find(machine_os_const(v->m.s->machine), (uint32_t)id)] |=
			UINT64_C(1) << (sig - 1);
	return true;
}

/* Sets v->m.held: the threads without an action, and those that `t` stops; v->m.deliver and
 * v->m.to_send. False: the actions are invalid. */
static bool server_take_actions(struct server *v, const char *actions)
{
	const struct os *os = machine_os_const(v->m.s->machine);
	const int place = os_thread_find(os, spot_tid(v->m.at));
	const uint64_t next = place < 0 ? 0 : UINT64_C(1) << place;
	uint64_t held = UINT64_MAX, decided = 0, id;
	v->m.deliver = 0;
	memset(v->m.to_send, 0, sizeof v->m.to_send);
	for (const char *p = actions; *p; p += strcspn(p, ";"), p += *p == ';') {
		if (!threads_of_action(v, p + strcspn(p, ":;"), &id))
			return false;
		const int i = id ? os_thread_find(os, (uint32_t)id) : 0;
		const uint64_t these = (id ? UINT64_C(1) << i : UINT64_MAX) & ~decided;
		decided |= these;
		if (*p == 't')
			continue;
		held &= ~these;
		if ((id || these & next) && !server_action_signal(v, p, id))
			return false;
	}
	/* A lone thread has no others; those that it starts are held by later motions. */
	v->m.held = os_thread_count(machine_os_const(v->m.s->machine)) > 1 ? held : 0;
	return true;
}

/* Handles vCont;r0,10:p1.1;c and the like: at most one thread steps, by the first action. */
static void server_resume_vcont(struct server *v, const char *args, struct answer *a)
{
	if (!server_take_actions(v, args) ||
	    !threads_of_action(v, args + strcspn(args, ":;"), &v->m.stepped)) {
		answer_text(a, "E01");
		return;
	}
	switch (*args) {
	case 'c':
	case 'C':
		server_run_motion(v, motion_continue, a);
		break;
	case 's':
	case 'S':
		server_run_motion(v, motion_step, a);
		break;
	case 'r':
		args++;
		if (take_range(&args, &v->m.lo, &v->m.hi))
			server_run_motion(v, motion_range, a);
		else
			answer_text(a, "E16");
		break;
	case 't':
		server_append_stop_reply(v, a);
		break;
	default:
		answer_text(a, "E16");
	}
}

/* ---- memory ---- */
static void server_read_memory(struct server *v, const char *args, bool binary, struct answer *a)
{
	uint8_t bytes[WIRE_PAYLOAD / 2];
	uint64_t addr, n;
	if (!take_range(&args, &addr, &n)) {
		answer_text(a, "E16");
		return;
	}
	if (n > sizeof bytes - 1)
		n = sizeof bytes - 1;
	const size_t done = spot_read(v->m.at, addr, bytes, (size_t)n);
	if (n && !done) {
		answer_text(a, "E0e");
		return;
	}
	if (binary) {
		answer_text(a, "b");
		answer_bytes(a, bytes, done);
	} else {
		answer_hex(a, bytes, done);
	}
}

static void server_write_memory(struct server *v, const char *args, const char *end, bool binary,
                                struct answer *a)
{
	uint8_t bytes[WIRE_PAYLOAD];
	uint64_t addr, n;
	struct err err;
	if (!take_range(&args, &addr, &n) || !take_text(&args, ":")) {
		answer_text(a, "E16");
		return;
	}
	long have = binary ? end - args : from_hex(args, bytes, sizeof bytes);
	if (have < 0 || (uint64_t)have != n) {
		answer_text(a, "E16");
		return;
	}
	if (binary)
		memcpy(bytes, args, (size_t)n);
	const struct change c = {.kind = JOURNAL_MEMORY, .a = addr, .bytes = bytes, .n = (size_t)n};
	if (n && !mover_change(&v->m, &c, &err))
		answer_text(a, "E.%s", err.msg);
	else
		answer_text(a, "OK");
}

/* ---- beginning and ending ---- */
static void server_answer_features(struct server *v, const char *theirs, struct answer *a)
{
	v->multiprocess = strstr(theirs, "multiprocess+") != NULL;
	v->swbreak = strstr(theirs, "swbreak+") != NULL;
	v->hwbreak = strstr(theirs, "hwbreak+") != NULL;
	v->no_resumed = strstr(theirs, "no-resumed+") != NULL;
	answer_text(a,
	            "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:auxv:read+;"
	            "qXfer:exec-file:read+;qXfer:threads:read+;qXfer:siginfo:read+;"
	            "qXfer:memory-map:read+;"
	            "qXfer:siginfo:write+;QPassSignals+;QProgramSignals+;swbreak+;hwbreak+;"
	            "ConditionalBreakpoints+;"
	            "vContSupported+;no-resumed+;"
	            "ReverseStep+;ReverseContinue+;error-message+%s",
	            (unsigned)WIRE_PAYLOAD, v->multiprocess ? ";multiprocess+" : "");
}

/* Restarts the program with the same arguments. */
static void server_restart_program(struct server *v, struct answer *a)
{
	struct err err;
	if (!session_restart(v->m.s, &err)) {
		answer_text(a, "E.%s", err.msg);
		return;
	}
	mover_restarted(&v->m);
	server_append_stop_reply(v, a);
}

static void kill_program(struct server *v)
{
	v->m.gone = true;
	v->over = !v->extended;
	v->m.halt = (struct halt){.kind = HALT_KILLED, .number = 9};
}

/* Answers lldb's questions about the computer and the process; begin: of the latter alone. */
static void server_answer_host(const struct server *v, const char *begin, struct answer *a)
{
	const bool narrow = machine_isa(v->m.s->machine) == ISA_RV32GC;
	char triple[32];
	snprintf(triple, sizeof triple, "riscv%u-unknown-linux-gnu", narrow ? 32 : 64);
	answer_text(a, "%striple:", begin);
	answer_hex(a, triple, strlen(triple));
	answer_text(a,
	            ";ostype:linux;endian:little;ptrsize:%u;watchpoint_exceptions_received:before;",
	            narrow ? 4 : 8);
}

/* ---- packets ---- */
/* Handles a query packet. False: no answer is to be sent. */
static bool server_handle_query(struct server *v, const char *p, const char *end, struct answer *a)
{
	if (take_text(&p, "qSupported"))
		server_answer_features(v, p, a);
	else if (take_text(&p, "qXfer:"))
		transfer_packet(v, p, end, a);
	else if (take_text(&p, "qRcmd,"))
		return monitor_packet(v, p, a);
	else if (take_text(&p, "qHostInfo"))
		server_answer_host(v, "", a);
	else if (take_text(&p, "qProcessInfo"))
		server_answer_host(v, "pid:3e8;", a);
	else if (take_text(&p, "qAttached"))
		answer_text(a, "0");
	else if (take_text(&p, "qSymbol:"))
		answer_text(a, "OK");
	else if (take_text(&p, "QStartNoAckMode"))
		answer_text(a, "OK");
	else if (take_text(&p, "QPassSignals:"))
		server_pass_signals(v, p, a);
	else if (take_text(&p, "QProgramSignals:")) /* detached, the program gets all */
		answer_text(a, "OK");
	return true;
}

static void v_packet(struct server *v, const char *p, size_t n, struct answer *a)
{
	const char *const begin = p;
	if (!strcmp(p, "vCont?"))
		answer_text(a, "vCont;c;C;s;S;r;t");
	else if (take_text(&p, "vCont;"))
		server_resume_vcont(v, p, a);
	else if (take_text(&p, "vFile:"))
		files_packet(v, p, n - (size_t)(p - begin), a);
	else if (take_text(&p, "vKill")) {
		kill_program(v);
		answer_text(a, "OK");
	} else if (take_text(&p, "vRun"))
		server_restart_program(v, a);
}

/* Handles a packet. False: no answer is to be sent. */
static bool server_handle_packet(struct server *v, const char *p, size_t n, struct answer *a)
{
	switch (*p) {
	case '?':
		server_append_stop_reply(v, a);
		break;
	case '!':
		v->extended = true;
		answer_text(a, "OK");
		break;
	case 'c':
	case 'C':
	case 's':
	case 'S':
		server_resume(v, p, a);
		break;
	case 'b':
		if (p[1] == 's' || p[1] == 'c')
			server_run_motion(v, p[1] == 's' ? motion_back_step : motion_back_continue,
			                  a);
		break;
	case 'g':
		registers_all(v, a);
		break;
	case 'G':
		registers_set_all(v, p + 1, a);
		break;
	case 'p':
		registers_one(v, p + 1, a);
		break;
	case 'P':
		registers_set_one(v, p + 1, a);
		break;
	case 'm':
	case 'x':
		server_read_memory(v, p + 1, *p == 'x', a);
		break;
	case 'M':
	case 'X':
		server_write_memory(v, p + 1, p + n, *p == 'X', a);
		break;
	case 'Z':
	case 'z':
		points_packet(v, p + 1, *p == 'Z', a);
		break;
	case 'D':
		v->detached = true;
		answer_text(a, "OK");
		break;
	case 'k':
		kill_program(v);
		return false;
	case 'R':
		server_restart_program(v, a);
		return false;
	case 'v':
		v_packet(v, p, n, a);
		break;
	case 'q':
	case 'Q':
		return threads_packet(v, p, a) || server_handle_query(v, p, p + n, a);
	default:
		threads_packet(v, p, a);
	}
	return true;
}

/* ---- the loop ---- */
static bool server_wants_stop(void *ctx)
{
	return server_progress(ctx, 0);
}

static bool server_read_register(void *ctx, unsigned number, uint64_t *value)
{
	return registers_read_value(ctx, number, value);
}

static bool server_condition_holds(void *ctx, const struct point *p)
{
	struct server *v = ctx;
	const uint64_t general = v->general;
	const struct conditions_place place = {v->m.at, server_read_register, v};
	v->general = 0; /* registers are those of the thread that is about to stop */
	const bool holds = conditions_hold(&v->conditions, p, &place);
	v->general = general;
	return holds;
}

/* Forwards, gdb evaluates the condition: it steps by breakpoints of its own, and one that lands on
 * a breakpoint arrives as that, with its condition. */
static bool server_condition_stops(void *ctx, const struct point *p, bool forward)
{
	return forward || server_condition_holds(ctx, p);
}

void server_init(struct server *v, struct session *s, struct console *c)
{
	mover_init(&v->m, s, c);
	v->m.ctx = v;
	v->m.wants_stop = server_wants_stop;
	v->m.stops = server_condition_stops;
	v->m.watches_early = true; /* as gdb expects on RISC-V; so does lldb, by qHostInfo */
}

void server_forget_peer(struct server *v)
{
	points_clear(&v->m);
	held_release(&v->m);
	conditions_drop(&v->conditions, NULL);
	signals_arm(&v->m, 0);
	stop_commands_drop(v->m.c);
	files_close(v);
	v->wire = NULL;
	v->listens = v->m.quiet = v->commanded = v->detached = v->extended = false;
	v->interrupted = false;
	v->multiprocess = v->swbreak = v->hwbreak = v->no_resumed = false;
}

void server_deinit(struct server *v)
{
	server_forget_peer(v);
	conditions_deinit(&v->conditions);
}

static bool server_answer_packet(struct server *v, const char *p, size_t n)
{
	struct answer *a = alloc_zeroed(1, sizeof *a);
	if (!a)
		return false;
	struct err err;
	bool answers = server_handle_packet(v, p, n, a);
	if (!alloc_settle(true, &err)) {
		a->n = 0;
		answer_text(a, "E.%s", err.msg);
		answers = true;
	}
	if (answers)
		wire_put(v->wire, a->bytes, a->n);
	free(a);
	/* gdb acknowledges this answer, and no later one. */
	if (!strcmp(p, "QStartNoAckMode"))
		v->wire->acks = false;
	return true;
}

/* Answers the first packet once: gdb has sent it again if the machine took long to load. */
static bool server_answer_first(struct server *v, struct wire *w)
{
	const size_t n = w->length;
	char *first = alloc_text_n(w->payload, n);
	bool other = false;
	enum wire_got got = WIRE_PACKET;
	while (first && w->acks && !other && wire_has_packet(w)) {
		got = wire_get(w);
		other = got != WIRE_PACKET || w->length != n || memcmp(w->payload, first, n) != 0;
	}
	const bool answered = first && server_answer_packet(v, first, n);
	free(first);
	return answered && (!other || got != WIRE_PACKET ||
	                    server_answer_packet(v, w->payload, w->length));
}

void server_serve(struct server *v, struct wire *w)
{
	bool begun = false;
	v->wire = w;
	if (!v->m.gone)
		v->m.halt = (struct halt){.kind = HALT_STEP};
	signals_arm(&v->m, UINT64_MAX);
	while (!v->over && !v->detached) {
		const enum wire_got got = wire_get(w);
		if (got == WIRE_CLOSED)
			break;
		v->unheard = false;
		if (got == WIRE_BAD)
			wire_put_text(w, "E.damaged, or longer than PacketSize");
		v->interrupted |= got == WIRE_INTERRUPT && begun;
		if (got == WIRE_PACKET && !(begun ? server_answer_packet(v, w->payload, w->length)
		                                  : server_answer_first(v, w)))
			break;
		begun |= got == WIRE_PACKET;
	}
	server_forget_peer(v);
}
