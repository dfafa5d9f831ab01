/* Motions requested by an editor, in both directions, and reports of their ends. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "core/os/linux.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "loader/dwarf/entry.h"
#include "loader/dwarf/inlined.h"
#include "ui/console/interrupt.h"
#include "ui/dap/dap.h"

/* ---- while it moves ---- */
enum { PROGRESS_AFTER_MS = 500 };

static void tell_progress(struct dap *d, uint64_t cycle)
{
	struct timespec now;
	char id[16];
	clock_gettime(CLOCK_MONOTONIC, &now);
	const int64_t ms =
		(now.tv_sec - d->began.tv_sec) * 1000 + (now.tv_nsec - d->began.tv_nsec) / 1000000;
	if (!d->reports_progress || ms < PROGRESS_AFTER_MS || now.tv_sec == d->progressed)
		return;
	d->progressed = now.tv_sec;
	snprintf(id, sizeof id, "%u", d->progress_id);
	if (!d->progress)
		dap_event(d, "progressStart",
		          json_pack("{s:s, s:s, s:b}", "progressId", id, "title",
		                    d->backwards ? "Going back" : "Running", "cancellable", 1));
	d->progress = true;
	dap_event(d, "progressUpdate",
	          json_pack("{s:s, s:o}", "progressId", id, "message",
	                    json_sprintf("cycle %" PRIu64, cycle)));
}

static void end_progress(struct dap *d)
{
	char id[16];
	snprintf(id, sizeof id, "%u", d->progress_id);
	if (d->progress)
		dap_event(d, "progressEnd", json_pack("{s:s}", "progressId", id));
	d->progress = false;
	d->progress_id++;
}

/* True if a waiting message should stop the running command. */
static bool is_asked_to_stop(const struct dap *d)
{
	const json_t *one;
	size_t i;
	json_array_foreach(d->waiting, i, one)
	{
		const char *command = asked_text(one, "command");
		if (command && (!strcmp(command, "pause") || !strcmp(command, "cancel") ||
		                !strcmp(command, "disconnect") || !strcmp(command, "terminate")))
			return true;
	}
	return d->over;
}

bool dap_progress(void *ctx, uint64_t cycle)
{
	struct dap *d = ctx;
	if (interrupt_came())
		return true;
	if (!d->wire)
		return false;
	dap_flush(d, false);
	if (!d->runs && !d->listens)
		return false;
	if (cycle)
		tell_progress(d, cycle);
	const bool waits = dap_look(d);
	return d->paused || (d->listens ? is_asked_to_stop(d) : waits);
}

/* ---- reporting the place ---- */
static int64_t thread_now(const struct dap *d)
{
	return d->m.halt.tid ? d->m.halt.tid : spot_tid(d->m.at);
}

static void tell_end(struct dap *d)
{
	const struct halt *h = &d->m.halt;
	if (d->told_exit)
		return;
	d->told_exit = true;
	dap_event(d, "exited",
	          json_pack("{s:i}", "exitCode",
	                    h->kind == HALT_EXITED ? h->number : 128 + h->number));
	dap_event(d, "terminated", NULL);
}

static const char *reason_of(const struct dap *d, const char *reason)
{
	switch (d->m.halt.kind) {
	case HALT_SWBREAK:
	case HALT_HWBREAK:
		return "breakpoint";
	case HALT_WATCH:
	case HALT_RWATCH:
	case HALT_AWATCH:
		return "data breakpoint";
	case HALT_INTERRUPT:
		return "pause";
	case HALT_SIGNAL:
		return "exception";
	case HALT_EXITED:
		return "exit";
	default:
		return reason;
	}
}

static void dap_append_stop_text(const struct dap *d, json_t *body)
{
	const struct halt *h = &d->m.halt;
	const char *name = h->kind == HALT_SIGNAL ? os_signal_name((unsigned)h->number) : NULL;
	char text[512] = "";
	if (h->kind == HALT_SIGNAL)
		snprintf(text, sizeof text, "The program ends by %s", name ? name : "SIG?");
	else if (h->kind == HALT_BEGIN)
		snprintf(text, sizeof text, "The beginning of history");
	else if (h->kind == HALT_FAILED)
		snprintf(text, sizeof text, "%s", h->why.msg);
	else if (h->kind == HALT_EXITED)
		snprintf(text, sizeof text, "The program has exited with status %d", h->number);
	if (!*text)
		return;
	json_object_set_new(body, "description", dap_text(text, strlen(text)));
	json_object_set_new(body, "text", dap_text(text, strlen(text)));
}

/* Enters all inlined functions that begin at the current place, as gdb does after a step by
 * instructions. */
static void enter_all(struct dap *d)
{
	const struct program *p = d->m.s->program;
	const uint64_t pc = spot_pc(d->m.at);
	inlined_enter(p, pc, inlined_begun(p, pc, NULL));
}

void dap_tell_stop(struct dap *d, const char *reason)
{
	dap_flush(d, true);
	if (d->over)
		return;
	if (d->m.gone && !d->stops_on_exit) {
		tell_end(d);
		return;
	}
	const uint64_t pc = spot_pc(d->m.at);
	if (!strcmp(reason_of(d, reason), "breakpoint"))
		inlined_enter(d->m.s->program, pc, breakpoints_inlined(d, pc));
	json_t *body = json_pack("{s:s, s:I, s:b}", "reason", reason_of(d, reason), "threadId",
	                         (json_int_t)thread_now(d), "allThreadsStopped", 1);
	dap_append_stop_text(d, body);
	breakpoints_tell(d, body);
	dap_event(d, "stopped", body);
}

/* ---- motions ---- */
/* Begins a motion, after its request has been answered. */
static void dap_begin_motion(struct dap *d, bool backwards)
{
	dap_forget_handles(d);
	breakpoints_moving(d);
	d->runs = true;
	d->paused = false;
	d->backwards = backwards;
	clock_gettime(CLOCK_MONOTONIC, &d->began);
}

static void dap_end_motion(struct dap *d, const char *reason)
{
	d->runs = false;
	d->m.stepped = 0;
	d->unheard |= interrupt_taken(); /* dap_tell_stop() reports it */
	end_progress(d);
	/* Don't report an interrupted motion if the waiting request is other than pause. */
	const char *next = asked_text(json_array_get(d->waiting, 0), "command");
	if (d->m.halt.kind != HALT_INTERRUPT || !next || !strcmp(next, "pause"))
		dap_tell_stop(d, reason);
}

static bool is_alive(const struct os *os, uint32_t tid)
{
	const int i = os_thread_find(os, tid);
	return i >= 0 && os_threads(os)[i].state != THREAD_ENDED;
}

static bool dap_check_can_move(struct dap *d, const json_t *request)
{
	if (!d->configured)
		dap_refuse(d, request, "the program has not begun: configurationDone is missing");
	else if (d->m.gone && !(d->stops_on_exit && d->m.halt.kind == HALT_EXITED))
		dap_refuse(d, request, "the program has ended; use restart");
	else
		return true;
	return false;
}

/* Going backwards, the program has not ended. */
static void dap_clear_ended(struct dap *d)
{
	d->m.gone = d->m.told_end = false;
	d->told_exit = false;
}

static void dap_continue_program(struct dap *d, const json_t *request)
{
	if (!dap_check_can_move(d, request))
		return;
	dap_answer(d, request, json_pack("{s:b}", "allThreadsContinued", 1));
	if (d->m.gone) {
		tell_end(d);
		return;
	}
	dap_begin_motion(d, false);
	motion_continue(&d->m);
	dap_end_motion(d, "step");
}

static void dap_on_continue(struct dap *d, const json_t *request, const json_t *args)
{
	(void)args;
	dap_continue_program(d, request);
}

static void dap_on_reverse_continue(struct dap *d, const json_t *request, const json_t *args)
{
	(void)args;
	if (!dap_check_can_move(d, request))
		return;
	dap_answer(d, request, NULL);
	dap_begin_motion(d, true);
	dap_clear_ended(d);
	motion_back_continue(&d->m);
	dap_end_motion(d, "step");
}

/* Sets the thread to step; 0: the one that executes next. False: the request is refused. */
static bool dap_parse_step_thread(struct dap *d, const json_t *request, const json_t *args)
{
	int64_t id = 0;
	const struct os *os = machine_os_const(d->m.s->machine);
	if (!d->m.gone && json_object_get(args, "threadId") &&
	    (!asked_number(args, "threadId", &id) || id <= 0 || id > UINT32_MAX ||
	     (id != thread_now(d) && !is_alive(os, (uint32_t)id)))) {
		dap_refuse(d, request, "there is no such thread; expected one of threads");
		return false;
	}
	d->m.stepped = (uint64_t)id;
	return true;
}

static bool by_instruction(const json_t *args)
{
	const char *unit = asked_text(args, "granularity");
	return unit && !strcmp(unit, "instruction");
}

static void dap_step_thread(struct dap *d, const json_t *request, const json_t *args,
                            enum line_motion how)
{
	if (!dap_check_can_move(d, request) || !dap_parse_step_thread(d, request, args))
		return;
	dap_answer(d, request, NULL);
	if (d->m.gone) {
		tell_end(d);
		return;
	}
	dap_begin_motion(d, false);
	if (how != LINE_OUT && by_instruction(args)) {
		if (how == LINE_INTO)
			motion_step(&d->m);
		else
			motion_line(&d->m, LINE_OVER_CALL, 0, NULL);
		enter_all(d);
	} else {
		motion_line(&d->m, how, 0, NULL);
	}
	dap_end_motion(d, "step");
}

static void dap_on_next(struct dap *d, const json_t *request, const json_t *args)
{
	dap_step_thread(d, request, args, LINE_NEXT);
}

static void step_in(struct dap *d, const json_t *request, const json_t *args)
{
	dap_step_thread(d, request, args, LINE_INTO);
}

static void step_out(struct dap *d, const json_t *request, const json_t *args)
{
	dap_step_thread(d, request, args, LINE_OUT);
}

/* pc of the thread that steps. */
static uint64_t pc_of_step(const struct dap *d)
{
	const struct os *os = machine_os_const(d->m.s->machine);
	const int i = d->m.stepped && d->m.stepped != spot_tid(d->m.at)
	                      ? os_thread_find(os, (uint32_t)d->m.stepped)
	                      : -1;
	return i < 0 ? spot_pc(d->m.at) : os_threads(os)[i].pc;
}

static void step_back(struct dap *d, const json_t *request, const json_t *args)
{
	struct source_line here;
	if (!dap_check_can_move(d, request) || !dap_parse_step_thread(d, request, args))
		return;
	dap_answer(d, request, NULL);
	dap_begin_motion(d, true);
	dap_clear_ended(d);
	/* Without line information, step by one instruction. */
	if (by_instruction(args) || !program_line_at(d->m.s->program, pc_of_step(d), &here)) {
		motion_back_step(&d->m);
		enter_all(d);
	} else {
		motion_back_line(&d->m, LINE_NEXT, 0, NULL);
	}
	dap_end_motion(d, "step");
}

/* cyclops/reverseFinish: goes back to the call of the function. */
static void back_out(struct dap *d, const json_t *request, const json_t *args)
{
	if (!dap_check_can_move(d, request) || !dap_parse_step_thread(d, request, args))
		return;
	dap_answer(d, request, NULL);
	dap_begin_motion(d, true);
	dap_clear_ended(d);
	motion_back_line(&d->m, LINE_OUT, 0, NULL);
	dap_end_motion(d, "step");
}

/* cyclops/stepCycles {"cycles": N}: moves N cycles, back if negative, to the end of a cycle. Stops
 * on the way are ignored. */
static void step_cycles(struct dap *d, const json_t *request, const json_t *args)
{
	int64_t n = 1;
	if (json_object_get(args, "cycles") && (!asked_number(args, "cycles", &n) || !n)) {
		dap_refuse(d, request,
		           "cycles: expected a number other than 0; negative ones lead back");
		return;
	}
	if (!dap_check_can_move(d, request) || !dap_settle(d, request))
		return;
	dap_answer(d, request, NULL);
	dap_begin_motion(d, n < 0);
	if (n < 0)
		dap_clear_ended(d);
	motion_cycles(&d->m, n);
	dap_end_motion(d, "step");
}

static void pause_it(struct dap *d, const json_t *request, const json_t *args)
{
	(void)args;
	dap_answer(d, request, NULL);
	if (d->runs)
		d->paused = true;
	else if (d->configured && !d->m.gone)
		dap_tell_stop(d, "pause");
}

/* Address of main after its prologue, the default place to stop. */
static bool dap_main_address(const struct dap *d, uint64_t *addr)
{
	const struct program *p = d->m.s->program;
	const struct symbol *sym = program_symbol_by_name(p, "main");
	if (!sym)
		return false;
	if (!entry_behind_prologue(p, sym->addr, addr))
		*addr = sym->addr;
	return true;
}

void dap_begin(struct dap *d)
{
	struct point entry = {.type = 1};
	struct err err;
	if (d->begins == BEGINS_ATTACHED) {
		dap_tell_stop(d, "pause");
		return;
	}
	if (d->stops_on_entry && !dap_main_address(d, &entry.addr)) {
		dap_tell_stop(d, "entry");
		return;
	}
	if (d->stops_on_entry && !points_insert(&d->m, &entry, &err))
		d->stops_on_entry = false;
	dap_begin_motion(d, false);
	motion_continue(&d->m);
	const bool there = d->m.halt.kind == HALT_HWBREAK && d->m.halt.addr == entry.addr;
	if (d->stops_on_entry)
		points_remove(&d->m, &entry);
	if (there && d->stops_on_entry)
		d->m.halt.kind = HALT_STEP;
	dap_end_motion(d, "entry");
}

const struct request moves_requests[] = {
	{"continue", dap_on_continue, STANDS, false},
	{"reverseContinue", dap_on_reverse_continue, STANDS, false},
	{"next", dap_on_next, STANDS, false},
	{"stepIn", step_in, STANDS, false},
	{"stepOut", step_out, STANDS, false},
	{"stepBack", step_back, STANDS, false},
	{"cyclops/reverseFinish", back_out, STANDS, false},
	{"cyclops/stepCycles", step_cycles, STANDS, false},
	{"pause", pause_it, ANY_TIME, false},
	{0},
};
