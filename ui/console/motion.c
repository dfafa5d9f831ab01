#include "ui/console/motion.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/isa/exec.h"
#include "core/os/os.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"
#include "hwviews/grid/field_text.h"
#include "hwviews/program/death.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/stop_history.h"
#include "hwviews/why/why_text.h"
#include "loader/assembled_note.h"
#include "loader/dwarf/inlined.h"
#include "scripting/expr/expr.h"
#include "scripting/script.h"
#include "ui/cli/fault_report.h"
#include "ui/console/command_state.h"
#include "ui/console/display.h"
#include "ui/console/here.h"
#include "ui/console/location.h"
#include "ui/console/lua_motion.h"
#include "ui/console/stop_commands.h"
#include "ui/console/stops.h"
#include "ui/console/traces.h"
#include "ui/console/view_changes.h"

void motion_select(struct console *c, unsigned level)
{
	struct session *s = c->session;
	s->frame = level;
	s->frame_cycle = machine_cycle(s->machine);
	exprs_select_frame(c->exprs, level, s->frame_cycle);
}

struct stop_hits *motion_hits(const struct console *c)
{
	return &c->state->hits;
}

/* Selects the thread that hit a breakpoint. Several instructions commit in a cycle, and a slice may
 * end with it, so that another thread may be running. */
static void see_who_hit(struct console *c, const struct run_stop_info *info)
{
	struct machine *m = c->session->machine;
	const struct pipe *p = machine_pipe(m);
	const struct os_thread *t = os_threads(machine_os_const(m));
	const struct uop *u = info->reason == STOPPED_BREAK && info->seq ? pipe_find(p, info->seq)
	                                                                 : NULL;
	if (!u || u->thread == p->st->thread)
		return;
	for (unsigned i = 0; i < OS_THREADS; i++)
		if (t[i].state != THREAD_FREE && os_thread_number(&t[i]) == u->thread + 1u)
			machine_see_thread(m, t[i].tid);
}

void motion_reached(struct console *c, bool began, const struct run_stop_info *info)
{
	struct spot *at = here_spot(c);
	spot_reset(at);
	const struct group g = spot_group(at);
	for (unsigned i = 0; began && info->reason == STOPPED_DONE && i < g.n; i++)
		if (g.u[i]->seq == info->seq) {
			at->back = g.n - i - 1;
			at->reached = true;
		}
}

void motion_undone(struct console *c)
{
	*here_spot(c) = c->state->departed;
	here_look(c);
}

bool motion_start(struct console *c, bool forward)
{
	const struct spot from = *here_spot(c);
	const bool can = motion_depart(c, forward);
	if (!can)
		return false;
	c->state->departed = from;
	here_reset(c);
	inlined_enter(c->session->program, 0, 0);
	c->state->hits.placed = false;
	return true;
}

bool motion_depart(struct console *c, bool forward)
{
	const struct session *s = c->session;
	c->state->stop_failed = false;
	c->state->hits = (struct stop_hits){.placed = true};
	if (forward && machine_has_ended(s->machine) && !here_spot(c)->back) {
		console_fail(c, "the program has ended; `reverse-step`, `goto CYCLE` and `run` "
		                "still move it");
		return false;
	}
	motion_select(c, 0);
	machine_look_from(s->machine, NULL);
	run_keep_temporary(s->run, true);
	view_changes_keep(c);
	region_motion_begins(c->session);
	traces_motion(c);
	lua_motion_begins(c);
	return true;
}

/* Prints ", 12 back from the newest" while in the past. */
static void put_past(struct console *c)
{
	struct run_history h;
	char digits[32];
	run_history(c->session->run, &h);
	uint64_t now = machine_cycle(c->session->machine);
	if (h.newest_cycle > now)
		console_print(c, ", %s before the newest",
		              group_digits(h.newest_cycle - now, digits));
}

/* Prints "thread 2, " if there are several. */
static void motion_print_thread(struct console *c)
{
	const struct machine *m = c->session->machine;
	if (os_thread_count(machine_os_const(m)) > 1)
		console_print(c, "thread %u, ", os_thread_number(machine_seen_thread(m)));
}

/* Prints the cycle and ends the line. */
static void motion_print_cycle(struct console *c)
{
	char digits[32];
	motion_print_thread(c);
	unsigned older;
	here_insts(c, &older);
	console_print(c, "cycle %s", group_digits(machine_cycle(c->session->machine), digits));
	if (older)
		console_print(c, ", in which %u older instruction%s committed", older,
		              older > 1 ? "s" : "");
	put_past(c);
	console_print(c, "\n");
}

void motion_status(struct console *c)
{
	const struct machine *m = c->session->machine;
	char where[256], digits[32];
	motion_print_thread(c);
	console_print(c, "cycle %s, %s", group_digits(machine_cycle(m), digits),
	              session_where_here(c->session, where, sizeof where));
	const struct frame f = location_frame(c);
	if (location_level(c))
		console_print(c, " called from %s", location_of_frame(c, &f, where, sizeof where));
	unsigned older;
	console_print(c, ", %s instructions", group_digits(here_insts(c, &older), digits));
	if (older)
		console_print(c, ", %u of them in this cycle", older);
	put_past(c);
	console_print(c, "\n");
}

void motion_enter_inlined(struct console *c, uint64_t pc, const char *place)
{
	const struct program *p = c->session->program;
	const char *colon = place ? strrchr(place, ':') : NULL;
	const bool named = place && (isalpha((unsigned char)*place) || *place == '_') &&
	                   !(colon && isdigit((unsigned char)colon[1]));
	inlined_enter(p, pc, inlined_begun(p, pc, named ? place : NULL));
}

void motion_source(struct console *c)
{
	struct source_line at;
	const struct frame f = location_frame(c);
	if (!inlined_line(c->session->program, &f, &at))
		return;
	const char *text = program_source_text(c->session->program, at.file, at.line, NULL);
	if (text)
		console_print(c, "%u\t%.*s\n", at.line, (int)strcspn(text, "\r\n"), text);
}

static void put_exit(struct console *c)
{
	const struct machine *m = c->session->machine;
	const struct fault *f = machine_fault(m);
	const char *lacks = machine_lacks(m);
	const enum machine_status status = machine_status(m);
	char where[256], text[256];
	/* Memory was out during the motion; the machine's present status does not matter. */
	if (lacks)
		console_print(c, "%c%s; nothing is lost, %s%s: ", toupper((unsigned char)*lacks),
		              lacks + 1, status == MACHINE_STARVED ? "and " : "",
		              status == MACHINE_STARVED ? machine_lacks_then(m)
		                                        : "this is where you were");
	switch (status) {
	case MACHINE_EXITED:
		console_print(c, "The program exited with status %d, ", machine_exit_status(m));
		expr_keep_variable(c->exprs, "_exitcode", machine_exit_status(m));
		break;
	case MACHINE_KILLED: {
		const char *name = os_signal_name((unsigned)machine_exit_status(m) - 128);
		console_print(c, "The program ended itself by %s, ", name ? name : "SIG?");
		break;
	}
	case MACHINE_FAULTED: {
		const char *name = os_signal_name((unsigned)trap_signal(f->trap));
		const char *whose = fault_whose(m);
		const bool end = program_ran_past_end(c->session->program, f->pc, text,
		                                      sizeof text);
		/* The instruction was executed: functions that begin there are entered. */
		motion_enter_inlined(c, f->pc, NULL);
		console_print(c, "%c%s %s%s", toupper((unsigned char)*whose), whose + 1,
		              end ? text : "faulted: ", end ? "" : trap_name(f->trap));
		if (trap_of_data(f->trap))
			console_print(c, " of 0x%" PRIx64, f->addr);
		if (end)
			console_print(c, " (%s), ", name ? name : "SIG?");
		else
			console_print(c, " (%s) in %s, ", name ? name : "SIG?",
			              location_at(c, f->pc, where, sizeof where));
		break;
	}
	case MACHINE_STUCK:
		console_print(
			c, "The program can make no progress: %s, in %s, ",
			os_wait_text(machine_os_const(m), machine_mem_const(m), text, sizeof text),
			location_at(c, machine_pc(m), where, sizeof where));
		break;
	case MACHINE_BROKEN:
		console_print(c, "The run ends here: %s, ", machine_failure(m));
		break;
	case MACHINE_STARVED:
	case MACHINE_RUNNING:
		break;
	}
	motion_print_cycle(c);
	/* The screen's pane of output has it. */
	if (!c->screen && death_unwritten_text(c->session->program, m, text, sizeof text))
		console_print(c, "%c%s\n", toupper((unsigned char)*text), text + 1);
}

static void put_change(struct console *c, const struct stop_point *sp,
                       const struct run_stop_info *info)
{
	char was[600], is[600], part[64] = "";
	uint64_t first, last;
	if (stops_watched_bytes(sp, info, &first, &last))
		snprintf(part, sizeof part, " (bytes %" PRIu64 " to %" PRIu64 ")", first, last);
	stops_value(c, sp, info->old_value, was, sizeof was);
	stops_value(c, sp, info->new_value, is, sizeof is);
	console_print(c, "Watchpoint %d, %s%s: %s -> %s, ", sp->id, sp->text, part, was, is);
}

static void put_left(struct console *c, const struct stop_point *sp,
                     const struct run_stop_info *info)
{
	char where[256];
	console_print(c, "%s %d, %s: its call %s, and it is off (`enable %d`), %s, ",
	              stops_noun(sp), sp->id, sp->text,
	              info->left == LEFT_BEGIN ? "begins here" : "has ended", sp->id,
	              location_at(c, machine_seen_pc(c->session->machine), where, sizeof where));
	motion_print_cycle(c);
}

/* A watched value can't be computed any more, as when its call has ended: turns it off. */
static void put_lost(struct console *c, struct stop_point *sp, const char *why)
{
	char where[256];
	sp->enabled = false;
	console_print(c, "%s %d, %s: %s, and it is off (`enable %d`), %s, ", stops_noun(sp), sp->id,
	              sp->text, why, sp->id,
	              location_at(c, machine_seen_pc(c->session->machine), where, sizeof where));
	motion_print_cycle(c);
}

/* The place of a hit, with arguments as they are before its instruction. */
static void place_of_hit(struct console *c, const struct stop_point *sp, uint64_t pc, uint64_t seq,
                         char *buf, size_t n)
{
	struct machine *m = c->session->machine;
	const uint32_t tid = machine_seen_thread(m)->tid;
	const struct spot *here = here_spot(c);
	const struct symbol *sym = program_symbol_at(c->session->program, pc);
	struct spot at = {.s = c->session};
	struct spot_viewpoint viewpoint;
	const struct group g = spot_group(&at);
	if (sp || !sym || sym->addr != pc)
		motion_enter_inlined(c, pc, sp ? sp->text : NULL);
	for (unsigned i = 0; i < g.n; i++)
		if (g.u[i]->seq == seq)
			at.back = g.n - i;
	if (at.back && at.back != here->back)
		spot_look(&at, &viewpoint);
	const struct frame f = location_frame_at(c, pc);
	location_of_call(c, &f, buf, n);
	if (tid == spot_tid(here))
		here_look(c);
	else
		machine_see_thread(m, tid);
}

static void put_break(struct console *c, const struct run_stop_info *info)
{
	if (stop_commands_silent(c, info->stop_id))
		return;
	struct stop_point *sp = run_stop(c->session->run, info->stop_id);
	if (sp && info->left)
		put_left(c, sp, info);
	if (sp && info->only_left)
		return;
	const char *error = stops_error(c);
	if (error && sp && sp->kind == STOP_POINT_VALUE) {
		put_lost(c, sp, error);
		return;
	}
	uint64_t pc = info->pc ? info->pc : machine_pc(c->session->machine);
	char where[1024], fields[512];
	if (error)
		console_print(c, "Stopped, since the expression of %s %d failed: %s\n",
		              sp ? stops_noun(sp) : "breakpoint", info->stop_id, error);
	if (sp && sp->kind == STOP_POINT_MICRO) {
		console_print(c, "%s %d, microcode %s, ", stops_noun(sp), sp->id, sp->text);
		motion_print_cycle(c);
		return;
	}
	if (!sp || sp->kind == STOP_POINT_PC)
		console_print(c, "%s %d, ", sp ? stops_noun(sp) : "Temporary breakpoint",
		              info->stop_id);
	else if (sp->kind == STOP_POINT_EVENT && sp->size)
		console_print(c, "%s %d, %s", stops_noun(sp), sp->id, sp->text);
	else if (sp->kind == STOP_POINT_EVENT)
		console_print(c, "Catchpoint %d, %s", sp->id, event_info[info->event.id].name);
	else
		put_change(c, sp, info);
	if (sp && sp->kind == STOP_POINT_EVENT)
		console_print(c, info->seq ? " #%" PRIu64 ", " : ", ", info->seq);
	if (sp && sp->kind == STOP_POINT_PC && sp->stage != STAGE_COMMIT)
		console_print(c, "%s #%" PRIu64 " of ", stop_stage_name[sp->stage], info->seq);
	if (sp && (sp->kind != STOP_POINT_PC || sp->stage != STAGE_COMMIT))
		location_at(c, pc, where, sizeof where);
	else
		place_of_hit(c, sp, pc, info->seq, where, sizeof where);
	if (info->by_event && event_info[info->event.id].field_count)
		console_print(c, "%s: %s, ", where,
		              field_text_of_event(c->session, &info->event, fields, sizeof fields));
	else
		console_print(c, "%s, ", where);
	motion_print_cycle(c);
}

static void put_breaks(struct console *c, const struct run_stop_info *info)
{
	const struct stop_hits *h = &c->state->hits;
	for (unsigned i = 0; i < h->n && i <= RUN_ALSO_MAX; i++)
		put_break(c, &h->hit[i]);
	if (h->n > RUN_ALSO_MAX + 1)
		console_print(c, "and %u more in this cycle\n", h->n - RUN_ALSO_MAX - 1);
	if (!h->n)
		put_break(c, info); /* a debugger's own */
}

static void commands_due(struct console *c, const struct run_stop_info *info)
{
	const struct stop_hits *h = &c->state->hits;
	(void)info;
	for (unsigned i = 0; i < h->n && i <= RUN_ALSO_MAX; i++)
		stop_commands_stopped(c, h->hit[i].stop_id);
}

/* Prints the progress since the last stop; on the screen, the top line shows it. */
static void put_passed(struct console *c)
{
	char text[OS_WAIT_TEXT];
	if (!c->screen && *region_passed_text(c->session, false, text, sizeof text))
		console_print(c, "  %s\n", text);
}

static void put_status_of(struct console *c, const char *why)
{
	console_print(c, "%s", why);
	motion_status(c);
}

/* Prints the reason of the stop. stalled: the input waited for, if that ended the motion. */
static void motion_print_stop(struct console *c, const struct run_stop_info *info, bool written,
                              const char *stalled)
{
	switch (info->reason) {
	case STOPPED_BREAK:
		c->session->event_seq = info->by_event ? info->seq : 0;
		c->session->event_cycle = machine_cycle(c->session->machine);
		put_breaks(c, info);
		if (!here_spot(c)->back)
			motion_enter_inlined(c, machine_seen_pc(c->session->machine), NULL);
		break;
	case STOPPED_EXIT:
	case STOPPED_STARVED:
		put_exit(c);
		break;
	case STOPPED_BEGIN:
		put_status_of(c, "Beginning of history, ");
		break;
	case STOPPED_INTERRUPT:
		put_status_of(c, "Interrupted, ");
		break;
	case STOPPED_INPUT:
		put_status_of(c, "Interrupted while the program waits for input, ");
		break;
	case STOPPED_ASKED:
		if (lua_stopper(c))
			console_print(c, "Stopped by %s, ", lua_stopper(c));
		else
			console_print(c, written ? "Stopped by a hook, "
			                         : "Stopped, since a trace can't be written, ");
		motion_status(c);
		break;
	case STOPPED_STALLED:
		if (!c->batch)
			console_print(c, "%c%s; `continue` waits as long again\n",
			              toupper((unsigned char)*stalled), stalled + 1);
		motion_status(c);
		break;
	case STOPPED_DONE:
		if (!c->screen)
			motion_status(c);
		break;
	}
}

/* Reads the hits of a motion by cycles, and puts the place before the first breakpoint's
 * instruction. */
static void motion_settle_hits(struct console *c, const struct run_stop_info *info)
{
	struct stop_hits *h = &c->state->hits;
	struct spot *at = here_spot(c);
	const struct group g = spot_group(at);
	struct err err;
	if (!at->back && !at->ahead && !at->frame)
		at->cycle = machine_cycle(c->session->machine);
	if (info->reason == STOPPED_BREAK && !h->placed) {
		stop_hits_read(h, c->session->run, info);
		spot_reset(at);
		for (unsigned i = 0; i < h->n && i <= RUN_ALSO_MAX; i++) {
			const struct stop_point *sp = run_stop(c->session->run, h->hit[i].stop_id);
			for (unsigned k = 0; k < g.n && sp && sp->kind == STOP_POINT_PC &&
			                     sp->stage == STAGE_COMMIT;
			     k++)
				if (g.u[k]->seq == h->hit[i].seq && g.n - k > at->back)
					at->back = g.n - k;
		}
		if (at->back && spot_before(at, g.n - at->back, &err))
			at->reached = true;
	}
	if (at->back || at->ahead || at->frame)
		here_look(c);
	else
		see_who_hit(c, info);
}

/* Deletes temporary stop points that were hit and reported. */
static void motion_end_temporaries(struct console *c)
{
	const struct stop_hits *h = &c->state->hits;
	for (unsigned i = 0; i < h->n && i <= RUN_ALSO_MAX; i++)
		run_end_temporary(c->session->run, h->hit[i].stop_id);
	run_keep_temporary(c->session->run, false);
}

/* Prints the report. `written`: all traces were written in full. */
static enum command_result end_report(struct console *c, const struct run_stop_info *info,
                                      enum motion_style style, bool written)
{
	const bool silent = info->reason == STOPPED_BREAK && stop_commands_silent(c, info->stop_id);
	char stalled[1024];
	if (info->reason == STOPPED_STALLED)
		why_stalled(c->session, info->waited, stalled, sizeof stalled);
	stop_commands_moved(c);
	motion_settle_hits(c, info);
	places_note(c->session, info->reason == STOPPED_BREAK ? PLACE_HIT : PLACE_STOP);
	if (c->answer) {
		c->answer->stopped = true;
		c->answer->stop = *info;
	}
	motion_print_stop(c, info, written, stalled);
	motion_end_temporaries(c);
	if (!silent)
		put_passed(c);
	if (lua_motion_ends(c) == CMD_ERROR)
		return CMD_ERROR;
	if (c->batch && info->reason == STOPPED_STALLED)
		return console_fail(c, "%s", stalled);
	if (c->batch && machine_lacks_memory(c->session->machine))
		return console_fail(c, "%s", machine_lacks(c->session->machine));
	if (c->batch && (info->reason == STOPPED_INTERRUPT || info->reason == STOPPED_INPUT))
		return console_fail(c, "interrupted");
	if (!c->screen && style == MOTION_SOURCE && info->reason == STOPPED_DONE)
		motion_source(c);
	if (!silent)
		displays_show(c);
	if (info->reason == STOPPED_BREAK)
		commands_due(c, info);
	return CMD_OK;
}

enum command_result motion_end_report(struct console *c, bool began,
                                      const struct run_stop_info *info, const struct err *err,
                                      enum motion_style style)
{
	if (!began && !c->state->hits.placed)
		motion_undone(c);
	if (!began)
		return console_fail(c, "%s", err->msg);
	bool written = traces_poll(c);
	const struct err why = c->err;
	enum command_result r = end_report(c, info, style, written);
	if (written)
		return r;
	if (r == CMD_ERROR)
		console_print(c, "%s\n", c->err.msg);
	return console_fail(c, "%s", why.msg);
}
