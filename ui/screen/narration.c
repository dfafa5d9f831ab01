#include "ui/screen/narration.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "hwviews/session/stop_history.h"
#include "ui/child/child_words.h"
#include "ui/console/quiz.h"
#include "ui/screen/cmd.h"
#include "ui/screen/cmdline.h"
#include "ui/screen/term.h"
#include "ui/screen/wrap.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

/* Stage before the tour has shown a view. */
static const char first_stage[] = "(columns 54 source 46 disasm)";

enum { STAGE_VIEWS = 3 };

static void narration_append_formatted(struct narration *n, unsigned meaning, const char *fmt,
                                       const char *text)
{
	char *line;
	if ((line = alloc_format(fmt, text)))
		narration_add_line(&n->said, &n->said_count, line, meaning);
}

void narration_deinit(struct narration *n)
{
	narration_free_lines(&n->said, &n->said_count);
	narration_free_lines(&n->shown, &n->shown_count);
	tiles_free(n->stage);
	*n = (struct narration){0};
}

/* ---- playing ---- */
/* Sets the stage to the last views that the beat's commands name, one above the other. */
static bool set_stage(struct narration *n, const struct tour_beat *b, struct err *err)
{
	char text[512];
	unsigned many = 0, left;
	for (unsigned i = 0; i < b->count; i++)
		many += !strncmp(b->commands[i], "view ", 5);
	left = many > STAGE_VIEWS ? STAGE_VIEWS : many;
	strcpy(text, left > 1 ? "(rows" : "");
	for (unsigned i = 0; i < b->count; i++) {
		const size_t used = strlen(text);
		if (!strncmp(b->commands[i], "view ", 5) && many-- <= left)
			snprintf(text + used, sizeof text - used, "%s \"%.120s\"",
			         left > 1 ? " 1" : "", b->commands[i] + 5);
	}
	if (left > 1)
		strcat(text, ")");
	struct node *stage = tiles_parse(left ? text : first_stage, err);
	if (!stage)
		return false;
	tiles_free(n->stage);
	n->stage = stage;
	return true;
}

static bool has_views(const struct tour_beat *b)
{
	for (unsigned i = 0; i < b->count; i++)
		if (!strncmp(b->commands[i], "view ", 5))
			return true;
	return false;
}

/* Hash of all stop points and their counts. */
static uint64_t stops_sum(const struct screen *s)
{
	const struct stop_point *sp;
	uint64_t sum = 0;
	for (unsigned i = 0; (sp = run_stop_at(screen_session(s)->run, i)); i++)
		sum = (sum ^
		       ((uint64_t)sp->id << 48 ^ sp->hits << 24 ^ sp->ignore << 1 ^ sp->enabled)) *
		      UINT64_C(0x100000001b3);
	return sum;
}

static void narration_record_position(struct screen *s)
{
	struct narration *n = &s->narration;
	struct run_history h;
	run_history(screen_session(s)->run, &h);
	n->cycle = machine_cycle(screen_session(s)->machine);
	n->newest = h.newest_cycle;
	n->stops = stops_sum(s);
	n->away = NARRATION_HERE;
}

static void show_stage(struct screen *s)
{
	s->narration.on_stage = true;
	s->zoomed = false;
	s->focus = NULL;
	screen_choose_tree(s);
}

/* True for quiz commands: part of the tour's prose, so they are not shown as commands. */
static bool is_quiz(const char *command)
{
	return !strncmp(command, "ask ", 4) || !strncmp(command, "expect ", 7);
}

/* Plays a beat. False if a command failed or was interrupted: the beat counts as not played. */
static bool play_commands(struct screen *s, const struct tour_beat *b)
{
	struct narration *n = &s->narration;
	for (unsigned i = 0; i < b->count; i++) {
		const char *command = b->commands[i];
		if (!is_quiz(command))
			narration_append_formatted(n, INK_KEY, "(cyclops) %s", command);
		if (!strncmp(command, "view ", 5))
			continue;
		const enum command_result r = screen_console(s, command);
		if (s->answer.n)
			narration_append_formatted(n, ROLE_PLAIN, "%s", s->answer.s);
		text_clear(&s->answer);
		if (r == CMD_ERROR)
			narration_append_formatted(n, ROLE_ERROR, "%s", s->console->err.msg);
		if (r != CMD_OK || s->running.stopped)
			return false;
	}
	return true;
}

static bool narration_play_beat(struct screen *s)
{
	struct narration *n = &s->narration;
	const struct tour_beat *b = narration_next_beat(n);
	struct err err;
	narration_free_lines(&n->said, &n->said_count);
	const bool more = n->playing;
	n->playing = true;
	bool ok = play_commands(s, b);
	n->playing = more;
	places_note(screen_session(s), PLACE_STEP);
	n->top = n->wrapped = 0;
	narration_record_position(s);
	if (!ok) {
		n->away = NARRATION_CHANGED;
		return false;
	}
	n->place->beat++;
	if (has_views(b) && !set_stage(n, b, &err))
		narration_append_formatted(n, ROLE_ERROR, "%s", err.msg);
	return true;
}

bool narration_begin(struct screen *s, struct tour_place *place, struct err *err)
{
	struct narration *n = &s->narration;
	const unsigned played = place->beat;
	*n = (struct narration){.place = place};
	if (!place->tour)
		return true;
	if (!set_stage(n, &(struct tour_beat){0}, err))
		return false;
	narration_record_position(s);
	show_stage(s);
	place->beat = 0;
	quiz_restart(s->console->quiz);
	n->playing = true;
	while (place->beat < played && narration_play_beat(s))
		;
	n->playing = false;
	show_stage(s);
	return true;
}

/* ---- exploring ---- */
/* True if the line may affect later beats other than by moving the machine. */
static bool changes_things(struct screen *s, const char *line)
{
	static const char *const changing[] = {"set",   "display", "undisplay", "run",
	                                       "start", "starti",  "mark",      "cop"};
	char word[32];
	snprintf(word, sizeof word, "%.*s", (int)strcspn(line, " \t/;"), line);
	const struct command *c = command_find(s->console, word, NULL);
	if (!c || strchr(line, ';'))
		return true;
	for (size_t i = 0; i < sizeof changing / sizeof *changing; i++)
		if (!strcmp(c->name, changing[i]))
			return true;
	return strcmp(c->group, "running") != 0 && strcmp(c->group, "data") != 0 &&
	       strcmp(c->group, "views") != 0 && strcmp(c->name, "help") != 0 &&
	       strcmp(c->name, "answer") != 0;
}

void narration_explored(struct screen *s, const char *line)
{
	struct narration *n = &s->narration;
	struct run_history h;
	if (!strncmp(line, "answer", 6))
		n->wrapped = 0;
	if (!narration_on(n) || n->playing || n->away == NARRATION_CHANGED)
		return;
	run_history(screen_session(s)->run, &h);
	if (changes_things(s, line) || h.newest_cycle != n->newest || stops_sum(s) != n->stops)
		n->away = NARRATION_CHANGED;
	else
		n->away = machine_cycle(screen_session(s)->machine) == n->cycle ? NARRATION_HERE
		                                                                : NARRATION_MOVED;
}

static void narration_restart_at_beat(struct screen *s, unsigned beat)
{
	s->narration.place->beat = beat;
	s->narration.place->again = true;
	s->quit = true;
}

static void narration_return_to_stage(struct screen *s)
{
	struct narration *n = &s->narration;
	char line[64];
	show_stage(s);
	if (n->away == NARRATION_MOVED) {
		snprintf(line, sizeof line, "goto %llu", (unsigned long long)n->cycle);
		n->playing = true;
		screen_console(s, line);
		n->playing = false;
		text_clear(&s->answer);
		n->away = machine_cycle(screen_session(s)->machine) == n->cycle ? NARRATION_HERE
		                                                                : NARRATION_CHANGED;
	}
	if (n->away == NARRATION_CHANGED)
		narration_restart_at_beat(s, n->place->beat);
}

/* ---- the command ---- */
/* Returns to the session's folder, after finding tours in another. */
static void narration_restore_folder(int here)
{
	if (here >= 0 && fchdir(here) == 0)
		close(here);
}

static void narration_offer_tour(void *ctx, const struct tour *t)
{
	char line[TOUR_NAME + TOUR_TITLE + 4], command[TOUR_NAME + 8];
	snprintf(line, sizeof line, "%-10s %s", t->name, t->title);
	snprintf(command, sizeof command, "tour %s", t->name);
	popup_item(ctx, line, command);
}

static bool narration_offer_tours(struct screen *s, struct err *err)
{
	const int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const bool there = course_enter(err);
	if (there) {
		popup_menu(&s->popup, narration_on(&s->narration)
		                              ? "Tours: Enter begins one"
		                              : "Tours: Enter begins one in a session of its own, "
		                                "q there returns here");
		tour_each(narration_offer_tour, &s->popup);
	}
	narration_restore_folder(here);
	return there;
}

/* Plays a tour in a new process while the user's own session waits. */
static bool narration_spawn_tour(struct screen *s, const char *name, struct err *err)
{
	const char *folder = course_chosen();
	struct child_words w;
	child_words_init(&w);
	child_word(&w, "cyclops");
	child_word(&w, "tour");
	if (folder) {
		child_word(&w, "--course");
		child_word(&w, folder);
	}
	child_file(&w, name);
	const bool lent = w.no_memory ? err_set(err, "out of memory") : term_lend(w.word, err);
	child_words_deinit(&w);
	if (!lent)
		return false;
	s->damaged = true;
	screen_say(s, false, "back from tour %s: this is your own session, as it was", name);
	return true;
}

static bool begin_tour(struct screen *s, const char *name, struct err *err)
{
	struct narration *n = &s->narration;
	struct tour t;
	const int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const bool found = (strchr(name, '/') || course_enter(err)) && tour_find(&t, name, err);
	if (found)
		tour_deinit(&t);
	narration_restore_folder(here);
	if (!found)
		return false;
	if (strlen(name) >= sizeof n->place->next)
		return err_set(err, "%.40s...: the name of a tour's file has at most %zu bytes",
		               name, sizeof n->place->next - 1);
	if (!narration_on(n))
		return narration_spawn_tour(s, name, err);
	snprintf(n->place->next, sizeof n->place->next, "%s", name);
	s->quit = true;
	return true;
}

static void narration_advance_beat(struct screen *s)
{
	struct narration *n = &s->narration;
	const unsigned rows = n->r.h > 2 ? (unsigned)n->r.h - 1 : 1;
	struct err err;
	if (!n->on_stage || n->away) {
		narration_return_to_stage(s);
	} else if (*s->console->quiz->asked) {
		cmdline_open(s, "answer ");
	} else if (n->top + rows < n->shown_count) {
		/* A page forward, at most to the last. */
		n->top += rows > 1 ? rows - 1 : 1;
		if (n->top + rows > n->shown_count)
			n->top = n->shown_count - rows;
	} else if (!narration_next_beat(n) || !narration_next_beat(n)->count) {
		if (!narration_offer_tours(s, &err))
			screen_say(s, true, "%s", err.msg);
	} else {
		narration_play_beat(s);
		show_stage(s);
	}
}

bool exec_tour(struct screen *s, const char *args, struct err *err)
{
	struct narration *n = &s->narration;
	const bool here = arg_is(args, "next") || arg_is(args, "back") || arg_is(args, "again");
	if (!*args)
		return narration_offer_tours(s, err);
	if (here && !narration_on(n))
		return err_set(err, "no tour is being played: `tour` lists them");
	if (arg_is(args, "next")) {
		narration_advance_beat(s);
	} else if (here) {
		const unsigned played = n->place->beat;
		narration_restart_at_beat(s, arg_is(args, "again") || !played ? 0 : played - 1);
	} else {
		return begin_tour(s, args, err);
	}
	return true;
}
