/* Threads, calls and their scopes, all at the place where the program is reported to stand. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os/os.h"
#include "core/os/thread.h"
#include "core/pipe/pipe.h"
#include "hwviews/program/frames.h"
#include "loader/dwarf/inlined.h"
#include "scripting/expr/expr.h"
#include "ui/dap/dap.h"

/* frameId: a thread, and the level of its call. */
enum { LEVEL_BITS = 16 };
static_assert(FRAMES_ALL <= 1 << LEVEL_BITS, "a level needs more bits");

static int frame_id(unsigned thread, unsigned level)
{
	return (int)(thread << LEVEL_BITS | level) + 1;
}

static const struct os *os_of(const struct dap *d)
{
	return machine_os_const(d->m.s->machine);
}

/* The current place's thread, which may have given up the hart in this cycle. */
static unsigned thread_here(const struct dap *d)
{
	const int i = os_thread_find(os_of(d), spot_tid(d->m.at));
	return i < 0 ? os_running(os_of(d)) : (unsigned)i;
}

/* Shows a thread: the current place for its own, the machine's saved registers for others. */
static void dap_select_thread(struct dap *d, unsigned thread)
{
	if (thread != thread_here(d))
		machine_see_thread(d->m.s->machine, os_threads(os_of(d))[thread].tid);
	else
		spot_look(d->m.at, &d->viewpoint);
}

static bool dap_thread_exists(const struct dap *d, unsigned thread)
{
	const struct os_thread *t = os_threads(os_of(d));
	return thread < OS_THREADS && t[thread].state != THREAD_FREE &&
	       t[thread].state != THREAD_ENDED;
}

bool dap_look_at(struct dap *d, int frame, struct err *err)
{
	const unsigned running = thread_here(d);
	struct frame found;
	unsigned thread = running, level = 0;
	if (frame > 0) {
		thread = (unsigned)(frame - 1) >> LEVEL_BITS;
		level = (unsigned)(frame - 1) & ((1U << LEVEL_BITS) - 1);
	}
	if (frame < 0 || (thread != running && !dap_thread_exists(d, thread)))
		return err_set(err, "there is no frame %d; expected one of the last stackTrace",
		               frame);
	dap_select_thread(d, thread);
	if (level && !frames_level(d->m.s, level, &found)) {
		dap_look_away(d);
		return err_set(err, "there is no frame %d; expected one of the last stackTrace",
		               frame);
	}
	exprs_select_frame(d->console->exprs, level, machine_cycle(d->m.s->machine));
	return true;
}

void dap_look_away(struct dap *d)
{
	machine_look_from(d->m.s->machine, NULL);
	exprs_select_frame(d->console->exprs, 0, machine_cycle(d->m.s->machine));
}

/* ---- threads ---- */
static void dap_on_threads(struct dap *d, const json_t *request, const json_t *args)
{
	const struct os *os = os_of(d);
	const struct os_thread *t = os_threads(os);
	json_t *list = json_array();
	(void)args;
	for (unsigned i = 0; i < OS_THREADS; i++) {
		if (!dap_thread_exists(d, i) && i != thread_here(d))
			continue;
		char name[96], waits[64] = "";
		if (t[i].state == THREAD_WAITS)
			os_thread_wait_text(os, machine_mem_const(d->m.s->machine), i, waits,
			                    sizeof waits);
		snprintf(name, sizeof name, "%.*s%sthread %u%s%s", OS_THREAD_NAME, t[i].name,
		         *t[i].name ? ", " : "", os_thread_number(&t[i]), *waits ? ": " : "",
		         waits);
		json_array_append_new(list, json_pack("{s:I, s:o}", "id", (json_int_t)t[i].tid,
		                                      "name", dap_text(name, strlen(name))));
	}
	dap_answer(d, request, json_pack("{s:o}", "threads", list));
}

/* ---- calls ---- */
json_t *dap_source(struct dap *d, const char *file)
{
	const char *path = program_source_path(d->m.s->program, file);
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	json_t *source = json_pack("{s:o}", "name", dap_text(name, strlen(name)));
	if (!path && *file == '/')
		path = file;
	if (path)
		json_object_set_new(source, "path", dap_text(path, strlen(path)));
	else
		json_object_set_new(source, "presentationHint", json_string("deemphasize"));
	return source;
}

static json_t *frame_of(struct dap *d, unsigned thread, unsigned level, const struct frame *f)
{
	const struct program *p = d->m.s->program;
	const struct symbol *sym = program_symbol_at(p, frame_look(f));
	struct source_line at;
	char name[160];
	if (f->kind == FRAME_SIGNAL)
		snprintf(name, sizeof name, FRAME_SIGNAL_TEXT);
	else if (inlined_name(p, f, name, sizeof name))
		; /* inlined_name() has set it */
	else if (sym)
		snprintf(name, sizeof name, "%s", sym->name);
	else
		program_addr_text(p, f->pc, name, sizeof name);
	json_t *out = json_pack("{s:i, s:o, s:i, s:i, s:o}", "id", frame_id(thread, level), "name",
	                        dap_text(name, strlen(name)), "line", 0, "column",
	                        d->columns_from_0 ? 0 : 1, "instructionPointerReference",
	                        dap_address(f->pc));
	if (f->kind != FRAME_SIGNAL && inlined_line(p, f, &at) && at.line) {
		json_object_set_new(out, "line",
		                    json_integer((json_int_t)at.line - d->lines_from_0));
		json_object_set_new(out, "source", dap_source(d, at.file));
	} else {
		json_object_set_new(out, "presentationHint",
		                    json_string(f->kind == FRAME_SIGNAL ? "label" : "subtle"));
	}
	return out;
}

static void stack_trace(struct dap *d, const json_t *request, const json_t *args)
{
	size_t n = 0;
	int64_t tid = 0, from = 0, levels = 0;
	const bool asked = asked_number(args, "threadId", &tid);
	const int thread = asked && tid > 0 && tid <= UINT32_MAX
	                           ? os_thread_find(os_of(d), (uint32_t)tid)
	                           : -1;
	if (thread < 0) {
		dap_refuse(d, request, "stackTrace: there is no such thread");
		return;
	}
	asked_number(args, "startFrame", &from);
	asked_number(args, "levels", &levels);
	dap_select_thread(d, (unsigned)thread);
	struct frame *frames = frames_list(d->m.s, FRAMES_ALL, &n);
	machine_look_from(d->m.s->machine, NULL);
	json_t *list = json_array();
	for (size_t i = from > 0 ? (size_t)from : 0;
	     i < n && (levels <= 0 || (int64_t)i < from + levels); i++)
		json_array_append_new(list, frame_of(d, (unsigned)thread, (unsigned)i, &frames[i]));
	free(frames);
	dap_answer(d, request,
	           json_pack("{s:o, s:I}", "stackFrames", list, "totalFrames", (json_int_t)n));
}

/* ---- scopes ---- */
static void dap_on_scopes(struct dap *d, const json_t *request, const json_t *args)
{
	static const struct {
		const char *name, *hint;
		enum handle_kind kind;
		bool expensive;
	} all[] = {
		{"Arguments", "arguments", HANDLE_ARGUMENTS, false},
		{"Locals", "locals", HANDLE_LOCALS, false},
		{"Pipeline", NULL, HANDLE_PIPELINE, false},
		{"Registers", "registers", HANDLE_REGISTERS, false},
		{"Floating-point registers", "registers", HANDLE_FLOATS, true},
	};
	int64_t frame = 0;
	struct err err;
	if (!asked_number(args, "frameId", &frame) || frame < 1 || frame > INT32_MAX ||
	    !dap_look_at(d, (int)frame, &err)) {
		dap_refuse(d, request, "scopes: there is no such frame");
		return;
	}
	dap_look_away(d);
	json_t *list = json_array();
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		/* Only the running thread has a pipeline scope. */
		if (all[i].kind == HANDLE_PIPELINE && (frame - 1) >> LEVEL_BITS != thread_here(d))
			continue;
		json_t *one =
			json_pack("{s:s, s:I, s:b}", "name", all[i].name, "variablesReference",
		                  (json_int_t)dap_handle(d, all[i].kind, (int)frame, NULL),
		                  "expensive", all[i].expensive);
		if (all[i].hint)
			json_object_set_new(one, "presentationHint", json_string(all[i].hint));
		json_array_append_new(list, one);
	}
	dap_answer(d, request, json_pack("{s:o}", "scopes", list));
}

const struct request stack_requests[] = {
	{"threads", dap_on_threads, ANY_TIME, false},
	{"stackTrace", stack_trace, ANY_TIME, false},
	{"scopes", dap_on_scopes, ANY_TIME, false},
	{0},
};
