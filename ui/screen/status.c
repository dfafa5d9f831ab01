/* The top line: program, place, cycle and position in the recording. The bottom line: keys. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/defs/stats.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/program/frames.h"
#include "hwviews/session/marks.h"
#include "hwviews/twin/twin.h"
#include "loader/assembled_note.h"
#include "ui/console/here.h"
#include "ui/screen/keys.h"
#include "ui/screen/part_keys.h"
#include "ui/screen/playground.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/timeline.h"
#include "ui/tour/tour.h"

enum { FIELDS = 12, PART_BYTES = 160, GAP = 2, PASSED_RANK = 6, LAST_RANK = 10 };

struct field {
	char text[PART_BYTES];
	unsigned meaning;
	int rank;   /* fields of low rank get their room first; 0: always there */
	bool right; /* at the right end */
};

struct fields {
	struct field f[FIELDS];
	unsigned count;
};

static void status_append_field(struct fields *all, unsigned meaning, int rank, bool right,
                                const char *fmt, ...) __attribute__((format(printf, 5, 6)));
static void status_append_field(struct fields *all, unsigned meaning, int rank, bool right,
                                const char *fmt, ...)
{
	struct field *f = &all->f[all->count++];
	va_list args;
	*f = (struct field){.meaning = meaning, .rank = rank, .right = right};
	va_start(args, fmt);
	vsnprintf(f->text, sizeof f->text, fmt, args);
	va_end(args);
}

static void put_progress(struct fields *all, const struct screen *s, bool brief)
{
	const struct session *se = screen_session(s);
	const struct stats *st = machine_stats(se->machine);
	uint64_t cycle = s->running.on ? s->running.cycle : s->cycle;
	char digits[32], passed[PART_BYTES];
	unsigned older;
	status_append_field(all, ROLE_SELECTED, 0, false, "cycle %s", group_digits(cycle, digits));
	status_append_field(all, ROLE_PLAIN, 7, false, "insts %s",
	                    group_digits(here_insts(s->console, &older), digits));
	status_append_field(all, ROLE_PLAIN, 2, false, "IPC %.2f",
	                    STAT(st, cycles) ? (double)STAT(st, insts) / (double)STAT(st, cycles)
	                                     : 0.0);
	if (!s->running.on)
		status_append_field(all, ROLE_PLAIN, PASSED_RANK, false, "%s",
		                    region_passed_text(se, brief, passed, sizeof passed));
}

/* Adds which twin is ahead, while B is kept in step, and how the last motion changed that. */
static void put_twin(struct fields *all, const struct screen *s)
{
	const struct twin *t = screen_session(s)->twin;
	char digits[33], more[33];
	if (!t || !t->known || t->place.cycle[TWIN_A] != s->cycle || s->running.on)
		return;
	const int64_t behind = twin_behind(&t->place),
		      by = t->known > 1 ? behind - t->behind_before : 0;
	char change[48] = "";
	if (by)
		snprintf(change, sizeof change, " (%s%s)", by > 0 ? "+" : "",
		         group_digits_signed(by, more));
	if (behind)
		status_append_field(all, ROLE_SELECTED, 2, false, "B %s %s %s%s",
		                    group_digits((uint64_t)llabs(behind), digits),
		                    t->place.by_cycle ? "insts" : "cycles",
		                    behind > 0 ? "behind" : "ahead", change);
	else
		status_append_field(all, ROLE_SELECTED, 2, false, "B as far as A%s", change);
}

/* The fault in few words; the message line has the whole sentence. */
static const char *status_fault(const struct screen *s)
{
	char text[384];
	const struct session *session = screen_session(s);
	const struct fault *f = machine_fault(session->machine);
	return program_ran_past_end(session->program, f->pc, text, sizeof text)
	               ? "ran past its last instruction"
	               : trap_name(f->trap);
}

static void put_mode(struct fields *all, const struct screen *s)
{
	const struct machine *m = screen_session(s)->machine;
	switch (machine_status(m)) {
	case MACHINE_RUNNING:
		if (s->animation.on)
			status_append_field(all, INK_KEY, 3, true, "%u steps/s",
			                    s->animation.rate);
		break;
	case MACHINE_EXITED:
		status_append_field(all, ROLE_SELECTED, 3, true, "exited %d",
		                    machine_exit_status(m));
		break;
	case MACHINE_FAULTED:
		status_append_field(all, ROLE_ERROR, 3, true, "faulted: %s", status_fault(s));
		break;
	case MACHINE_KILLED:
		status_append_field(all, ROLE_ERROR, 3, true, "killed by signal %d",
		                    machine_exit_status(m) - 128);
		break;
	case MACHINE_STUCK:
		status_append_field(all, ROLE_ERROR, 3, true, "stuck: waits for ever");
		break;
	case MACHINE_BROKEN:
		status_append_field(all, ROLE_ERROR, 3, true, "a plug-in failed");
		break;
	case MACHINE_STARVED:
		status_append_field(all, ROLE_ERROR, 3, true, "waits: %.32s", machine_lacks(m));
		break;
	}
}

static void put_history(struct fields *all, const struct screen *s)
{
	const struct session *se = screen_session(s);
	struct run_history h;
	char digits[32];
	run_history(se->run, &h);
	bool ascii = s->canvas.ascii;
	if (s->running.on) {
		const char *work = run_work(se->run);
		status_append_field(all, INK_KEY, 1, true, "%s",
		                    s->input.waits ? "waits for input"
		                    : work         ? work
		                                   : "running");
	} else if (h.newest_cycle > s->cycle) {
		uint64_t ago = h.newest_cycle - s->cycle;
		status_append_field(all, INK_PAST, 1, true, "%s %s cycle%s ago %s",
		                    ascii ? "<" : "◀", group_digits(ago, digits),
		                    ago == 1 ? "" : "s", ascii ? ">" : "▶");
	} else {
		if (se->history.history)
			status_append_field(all, ROLE_DIM, 10, true, "%u snapshot%s", h.snapshots,
			                    h.snapshots == 1 ? "" : "s");
		status_append_field(all, INK_KEY, 2, true, ascii ? "live" : "● live");
	}
}

static int status_total_width(const struct fields *all)
{
	int sum = 2;
	for (unsigned i = 0; i < all->count; i++)
		sum += (*all->f[i].text ? (int)utf8_width(all->f[i].text) + GAP : 0);
	return sum - GAP;
}

/* Keeps the fields that fit, the most important first; a field that does not fit leaves its room to
 * less important ones. */
static void status_keep_fitting(struct fields *all, int width)
{
	struct fields kept = *all;
	for (unsigned i = 0; i < kept.count; i++)
		kept.f[i].text[0] = '\0';
	for (int rank = 0; rank <= LAST_RANK; rank++)
		for (unsigned i = 0; i < all->count; i++) {
			if (all->f[i].rank != rank)
				continue;
			kept.f[i] = all->f[i];
			if (rank && status_total_width(&kept) > width)
				kept.f[i].text[0] = '\0';
		}
	*all = kept;
}

/* Adds the place of the program, and in code without lines the nearest caller's line. */
static void status_put_where(struct fields *all, const struct screen *s)
{
	const struct session *se = screen_session(s);
	char where[PART_BYTES], from[PART_BYTES] = "";
	struct frame caller;
	struct source_line at;
	if (s->running.on || machine_has_ended(se->machine))
		return;
	if (frames_selected(se))
		snprintf(from, sizeof from, ", frame #%zu selected", frames_selected(se));
	else if (frames_nearest_line(se, &caller, &at))
		snprintf(from, sizeof from, " from %s:%u", basename(at.file), at.line);
	status_append_field(all, ROLE_CURRENT, 4, false, "%s%s",
	                    session_where_here(se, where, sizeof where),
	                    from);
}

/* Collects the fields; brief: with a short form of what passed since the last stop. */
static void status_collect_fields(struct fields *all, const struct screen *s, bool brief)
{
	const struct session *se = screen_session(s);
	*all = (struct fields){.count = 0};
	status_append_field(all, INK_BRAND, 9, false, "cyclops");
	status_append_field(all, ROLE_PLAIN, 3, false, "%s", basename(program_path(se->program)));
	status_append_field(all, ROLE_DIM, 8, false, "%s", basename(se->config_name));
	put_progress(all, s, brief);
	status_put_where(all, s);
	put_twin(all, s);
	put_mode(all, s);
	put_history(all, s);
	status_keep_fitting(all, s->canvas.cols);
}

static bool says_what_passed(const struct fields *all)
{
	for (unsigned i = 0; i < all->count; i++)
		if (all->f[i].rank == PASSED_RANK)
			return *all->f[i].text;
	return false;
}

void status_draw(struct screen *s)
{
	struct canvas *c = &s->canvas;
	struct fields all;
	status_collect_fields(&all, s, false);
	if (!says_what_passed(&all))
		status_collect_fields(&all, s, true);

	draw_blank(c, 0, 0, c->cols, theme_ink(&c->theme, ROLE_PLAIN, GROUND_BAR));
	int x = 1, right = c->cols - 1;
	for (unsigned i = 0; i < all.count; i++) {
		if (*all.f[i].text && all.f[i].right)
			right -= (int)utf8_width(all.f[i].text) + GAP;
	}
	right += GAP;
	for (unsigned i = 0; i < all.count; i++) {
		const struct field *f = &all.f[i];
		if (!*f->text)
			continue;
		int *at = f->right ? &right : &x;
		*at += draw_text(c, 0, *at, c->cols - *at,
		                 theme_ink(&c->theme, f->meaning, GROUND_BAR), f->text) +
		       GAP;
	}
}

/* ---- the bottom line ---- */
static void running_hint(struct screen *s, int y)
{
	struct canvas *c = &s->canvas;
	const struct running *r = &s->running;
	char text[160], digits[32];
	double seconds = (double)(screen_now_ns() - r->began_ns) * 1e-9;
	uint64_t done =
		r->cycle > r->began_cycle ? r->cycle - r->began_cycle : r->began_cycle - r->cycle;
	const char *work = run_work(screen_session(s)->run);
	if (work)
		snprintf(text, sizeof text, "%s; panes stand still", work);
	else if (running_in_the_past(s))
		snprintf(text, sizeof text, "executing the past again: cycle %s; panes stand still",
		         group_digits(r->cycle, digits));
	else
		snprintf(text, sizeof text, "running: cycle %s, %.2f M cycles/s",
		         group_digits(r->cycle, digits),
		         seconds > 0 ? (double)done / seconds * 1e-6 : 0.0);
	const int x =
		draw_text(c, y, 1, c->cols - 2, theme_ink(&c->theme, INK_KEY, GROUND_NONE), text);
	draw_hint(c, y, x + 4, c->cols, "Esc", "stops");
}

/* Draws the timeline's keys, including the key that leaves the timeline. */
static void timeline_hints(struct screen *s, int y)
{
	const struct key *k;
	int x = 1;
	for (unsigned i = 0; (k = timeline_key_at(i)); i++)
		if (*k->hint)
			x = draw_hint(&s->canvas, y, x, s->canvas.cols, k->name, k->hint);
}

static int hint_cells(const struct screen *s, const struct key *k)
{
	return *k->hint && !narration_key(&s->narration, key_code(k->name))
	               ? (int)(strlen(k->name) + strlen(k->hint)) + 3
	               : 0;
}

/* Draws hints of keys as far as there is room before column `end`, always including help and quit.
 */
static void key_hints(struct screen *s, int y, int end)
{
	int room = end - 2, x = 1;
	bool shown[key_count];
	memset(shown, 0, sizeof shown);
	for (int pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < key_count; i++) {
			int need = hint_cells(s, &keys[i]);
			if (!need || shown[i] || need > room ||
			    (!pass && strcmp(keys[i].group, keys[key_count - 1].group) != 0))
				continue;
			shown[i] = true;
			room -= need;
		}
	}
	for (unsigned i = 0; i < key_count; i++)
		if (shown[i])
			x = draw_hint(&s->canvas, y, x, end, keys[i].name, keys[i].hint);
}

/* The keys of the end page. */
static void end_page_hints(struct screen *s, int y, int end)
{
	const struct key *k;
	int x = 1;
	for (unsigned i = 0; (k = end_page_key_at(i)); i++)
		x = draw_hint(&s->canvas, y, x, end, k->name, k->hint);
}

/* ---- layouts as tabs, at the right end of the bottom line ---- */
enum { WITH_NUMBERS = 100, WITH_NAMES = 150 };

static const char *status_tab_name(const struct screen *s, unsigned i, char *buf, size_t n)
{
	const bool here = (int)i == s->layout && !s->end.shown,
		   named = s->canvas.cols >= WITH_NAMES;
	const char *name = s->layouts.layout[i].name;
	if (s->canvas.cols < WITH_NUMBERS)
		snprintf(buf, n, here ? "%u %s%s" : "", i + 1, name, s->zoomed ? ", zoomed" : "");
	else
		snprintf(buf, n, here ? "[%u %s%s]" : named ? "%u %s" : "%u", i + 1, name,
	         here && s->zoomed ? ", zoomed" : "");
	return buf;
}

static int status_tabs_width(const struct screen *s)
{
	char name[64];
	int w = 0;
	for (unsigned i = 0; i < s->layouts.count; i++)
		w += *status_tab_name(s, i, name, sizeof name)
		             ? (int)utf8_width(name) + 1
		             : 0;
	return w;
}

static void status_draw_tabs(struct screen *s, int y, int x)
{
	struct canvas *c = &s->canvas;
	char name[64];
	for (unsigned i = 0; i < s->layouts.count; i++) {
		const bool here = (int)i == s->layout && !s->end.shown;
		if (!*status_tab_name(s, i, name, sizeof name))
			continue;
		x += draw_text(c, y, x, c->cols - x,
		               theme_ink(&c->theme, here ? INK_TITLE : ROLE_DIM, GROUND_NONE),
		               name) +
		     1;
	}
}

int status_tab_at(const struct screen *s, int y, int x)
{
	char name[64];
	int at = s->canvas.cols - status_tabs_width(s);
	if (y != s->canvas.rows - 1 || s->narration.on_stage || s->running.on)
		return -1;
	for (unsigned i = 0; i < s->layouts.count; i++) {
		const int w = (int)utf8_width(status_tab_name(s, i, name, sizeof name));
		if (x >= at && x < at + w)
			return (int)i;
		at += w ? w + 1 : 0;
	}
	return -1;
}

void hints_draw(struct screen *s)
{
	struct canvas *c = &s->canvas;
	const int y = c->rows - 1;
	char name[64];
	draw_blank(c, y, 0, c->cols, theme_ink(&c->theme, ROLE_PLAIN, GROUND_NONE));
	if (s->running.on) {
		running_hint(s, y);
		return;
	}
	if (s->timeline.focused) {
		timeline_hints(s, y);
		return;
	}
	if (s->playground && s->playground->focused) {
		playground_hints(s, y);
		return;
	}
	int end;
	if (s->narration.on_stage) {
		snprintf(name, sizeof name, "%s%s",
		         s->playground             ? "playground"
		         : s->narration.place->lab ? "lab"
		                                   : "tour",
		         s->zoomed ? ", zoomed" : "");
		end = c->cols - 1 - (int)utf8_width(name);
		draw_text(c, y, end, c->cols - end, theme_ink(&c->theme, INK_TITLE, GROUND_NONE),
		          name);
	} else {
		end = c->cols - status_tabs_width(s);
		status_draw_tabs(s, y, end);
	}
	if (s->end.shown)
		end_page_hints(s, y, end);
	else
		key_hints(s, y, end);
}
