/* Runs command lines, including those of keys: the screen's commands and the console's. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/pipe/pipe.h"
#include "ui/console/stop_commands.h"
#include "ui/screen/cmd.h"
#include "ui/screen/end_page.h"
#include "ui/screen/message.h"
#include "ui/screen/narration.h"
#include "ui/screen/term.h"

struct selected screen_selected(const struct screen *s)
{
	const struct session *se = screen_session(s);
	const struct grid_row *row = pane_row(s->focus);
	if (row)
		return (struct selected){row->seq, row->pc};
	const struct uop *u =
		se->selected_seq ? pipe_find(machine_pipe(se->machine), se->selected_seq) : NULL;
	return (struct selected){se->selected_seq, u ? u->pc : 0};
}

/* Replaces %seq and %pc in a line by the selected row's numbers. malloc'd; NULL with *err if the
 * row has none. */
static char *dispatch_expand_selection(const struct screen *s, const char *line, struct err *err)
{
	const struct selected on = screen_selected(s);
	struct text t = {0};
	for (const char *c = line; *c; c++) {
		bool seq = !strncmp(c, "%seq", 4), pc = !strncmp(c, "%pc", 3);
		if (!seq && !pc) {
			text_append(&t, c, 1);
			continue;
		}
		if (!(seq ? on.seq : on.pc)) {
			text_deinit(&t);
			err_set(err, "select a row about %s first: arrow keys, or a click",
			        seq ? "an instruction" : "code");
			return NULL;
		}
		text_printf(&t, seq ? "%" PRIu64 : "0x%" PRIx64, seq ? on.seq : on.pc);
		c += seq ? 3 : 2;
	}
	if (!t.s)
		return alloc_text("");
	return t.s;
}

enum command_result screen_console(struct screen *s, const char *line)
{
	text_clear(&s->answer);
	s->console->displays_seen = screen_shows(s, "displays");
	running_begin(s);
	/* Limit the width to the box that shows the answer; `set width` may be narrower. */
	const unsigned width = s->console->width, inside = (unsigned)popup_inside(s->canvas.cols);
	if (width > inside)
		s->console->width = inside;
	const enum command_result r = console_run(s->console, line);
	if (width > inside && s->console->width == inside)
		s->console->width = width;
	running_end(s);
	char *caught = term_caught();
	if (caught)
		text_printf(&s->answer, "%s", caught);
	free(caught);
	s->changed = true;
	return r;
}

/* Shows layout `twin` when a twin appears, and `window` when it is gone. */
static void follow_twin(struct screen *s, bool had)
{
	const bool has = screen_session(s)->twin != NULL;
	const int to = layouts_find(&s->layouts, has ? "twin" : "window", &(struct err){0});
	if (has != had && to >= 0 &&
	    (has || !strcmp(s->layouts.layout[s->layout].name, "twin")))
		screen_set_layout(s, to);
}

struct dispatch_hits {
	uint64_t count, first; /* cycle of the first */
};

static void dispatch_count_hit(void *ctx, const struct machine *m, const struct event *ev)
{
	struct dispatch_hits *h = ctx;
	(void)ev;
	if (!h->count++)
		h->first = machine_cycle(m);
}

/* The newest stop point; NULL: none. */
static const struct stop_point *dispatch_newest_stop(const struct session *se)
{
	const struct stop_point *sp, *newest = NULL;
	for (unsigned i = 0; (sp = run_stop_at(se->run, i)); i++)
		newest = sp;
	return newest;
}

/* The screen began in the middle of the run: adds to the answer that a new breakpoint was passed
 * before. */
static void dispatch_note_passed(struct screen *s, int newest_before)
{
	const struct session *se = screen_session(s);
	const struct stop_point *sp = dispatch_newest_stop(se);
	struct dispatch_hits h = {0};
	struct run_history all;
	struct err err;
	char digits[32], first[32];
	run_history(se->run, &all);
	if (!sp || sp->id <= newest_before || sp->kind != STOP_POINT_PC || !s->opened ||
	    machine_cycle(se->machine) != s->opened || sp->pending)
		return;
	const struct event_filter of = {
		.mask = EVENT_BIT(commit), .pc_lo = sp->addr, .pc_hi = sp->addr + 1};
	if (!run_replay(se->run, all.first_cycle, s->opened, &of, dispatch_count_hit, &h,
	                &err) || !h.count)
		return;
	text_printf(&s->answer, "It was passed %s time%s before this cycle, first in cycle %s: rc "
	                        "goes back\n",
	            group_digits(h.count, digits), h.count == 1 ? "" : "s",
	            group_digits(h.first, first));
}

static void run_console(struct screen *s, const char *line)
{
	struct session *se = screen_session(s);
	const struct stop_point *newest = dispatch_newest_stop(se);
	const int newest_id = newest ? newest->id : 0;
	const bool had_twin = se->twin != NULL;
	const struct machine *was = se->machine;
	const bool ended = machine_has_ended(was);
	const enum command_result r = screen_console(s, line);
	follow_twin(s, had_twin);
	narration_explored(s, line);
	if (r == CMD_QUIT) {
		s->quit = true;
		return;
	}
	dispatch_note_passed(s, newest_id);
	message_show_answer(s, line);
	end_page_follow(s, ended && was == se->machine);
	if (r == CMD_ERROR)
		message_set(s, true, s->console->err.msg, strlen(s->console->err.msg));
	/* Deselect an instruction that has left the machine; the oldest is the default. */
	if (se->selected_seq && !pipe_find(machine_pipe(se->machine), se->selected_seq))
		se->selected_seq = 0;
}

void screen_run(struct screen *s, const char *line)
{
	struct err err;
	char *text = dispatch_expand_selection(s, line, &err);
	if (!text) {
		message_set(s, true, err.msg, strlen(err.msg));
		return;
	}
	const char *word = text + strspn(text, " \t");
	size_t n = strcspn(word, " \t");
	const struct command *own = screen_command_find(s, word, n);
	const char *args = word + n + strspn(word + n, " \t");
	text_clear(&s->message);
	s->damaged = true;
	if (stop_commands_taking(s->console)) {
		run_console(s, word);
	} else if (own) {
		if (own->exec(s->console, args) == CMD_ERROR)
			message_set(s, true, s->console->err.msg, strlen(s->console->err.msg));
	} else if (*word) {
		run_console(s, word);
	}
	free(text);
}

void screen_runf(struct screen *s, const char *fmt, ...)
{
	char *line;
	va_list args;
	va_start(args, fmt);
	line = alloc_format_args(fmt, args);
	va_end(args);
	if (line)
		screen_run(s, line);
	free(line);
}
