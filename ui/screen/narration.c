#include "ui/screen/narration.h"

#include <fcntl.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "hwviews/session/stop_history.h"
#include "ui/child/child_words.h"
#include "ui/console/quiz.h"
#include "ui/screen/cmd.h"
#include "ui/screen/cmdline.h"
#include "ui/screen/term.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

/* Stage before the tour has shown a view. */
#define FIRST_STAGE "54 source 46 disasm)"

/* STAGE_BESIDE: columns of a terminal from which on there is room for both beside a lab's box. */
enum { STAGE_VIEWS = 3, STAGE_BESIDE = 140 };

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
	free(n->verdict);
	free(n->question);
	tiles_free(n->stage);
	*n = (struct narration){0};
}

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
	const bool above = n->place->lab && COLS < STAGE_BESIDE;
	struct node *stage = tiles_parse(left    ? text
	                                 : above ? "(rows " FIRST_STAGE
	                                         : "(columns " FIRST_STAGE,
	                                 err);
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

/* ---- a lab's steps ---- */
/* Sets the name of the question that a statement is about; false: about none. */
static bool lab_statement_question(const char *command, char name[QUIZ_NAME])
{
	return sscanf(command, "expect answer %31s", name) == 1;
}

/* Appends what a command of a lab has found: a value with its expression, and nothing of commands
 * that only move the machine. */
static void lab_append_answer(struct screen *s, const char *command)
{
	struct narration *n = &s->narration;
	const char *what = command + 6 + strspn(command + 6, " "), *value;
	char word[32];
	snprintf(word, sizeof word, "%.*s", (int)strcspn(command, " /"), command);
	const struct command *c = command_find(s->console, word, NULL);
	if (!s->answer.n || !c || strcmp(c->group, "running") == 0 ||
	    strcmp(c->group, "breakpoints") == 0)
		return;
	if (strcmp(c->name, "print") != 0) {
		narration_append_formatted(n, ROLE_PLAIN, "%s", s->answer.s);
		return;
	}
	/* Notes of a place for a later difference. */
	if (*what == '$' && strstr(what, " = ") && !strpbrk(strstr(what, " = ") + 3, " ("))
		return;
	value = strstr(s->answer.s, " = ");
	char *line = value ? alloc_format("%.*s%s",
	                                  (int)(*what == '$' && strchr(what, '=')
	                                                ? strcspn(what, "=") - 1
	                                                : strlen(what)),
	                                  what, value)
	                   : NULL;
	if (line)
		narration_append_formatted(n, ROLE_PLAIN, "%s", line);
	free(line);
}

/* Judges a statement. True: its question is open again, since the first answer to it was wrong, or
 * one was no number, which is no try. */
static bool lab_judge(struct screen *s, const char *command, bool replayed)
{
	struct narration *n = &s->narration;
	struct quiz *q = s->console->quiz;
	struct quiz_verdict v;
	char name[QUIZ_NAME] = "";
	const struct quiz before = *q;
	const bool about_answer = lab_statement_question(command, name);
	const struct quiz_answer *a = about_answer ? quiz_find(q, name) : NULL;
	free(n->verdict);
	n->verdict = NULL;
	if (!strcmp(command, "expect")) {
		n->verdict = alloc_format("You predicted %u of %u.", q->got, q->of);
		n->holds = q->got == q->of;
		return false;
	}
	if (!quiz_expect(q, s->console->exprs, command + 7, &v, &s->console->err)) {
		narration_append_formatted(n, ROLE_ERROR, "%s", s->console->err.msg);
		return false;
	}
	const size_t skipped = about_answer ? strlen(name) + 2 : 0;
	const bool again = !v.holds && a && *a->text && (v.unread || a->tries < 2) && !replayed &&
	                   n->question;
	n->holds = v.holds;
	static const char over[] = "passed over";
	if (a && !*a->text && !strncmp(v.said + skipped, over, sizeof over - 1)) {
		const char *hint = v.said + skipped + sizeof over - 1;
		n->verdict = alloc_format("Passed over%s", *hint ? hint : ".");
		return false;
	}
	n->verdict = alloc_format("%s: %s%s", v.holds ? "Right" : again ? "Not yet" : "Not so",
	                          v.said + skipped, again && !v.unread ? " Try once more." : "");
	if (again) {
		*q = before;
		quiz_ask_again(q, name, !v.unread);
	}
	return again;
}

/* Keeps the question for a second try. */
static void lab_note_question(struct narration *n, const char *command)
{
	char name[QUIZ_NAME];
	const char *text = command + 4;
	int used = 0;
	if (sscanf(text, "%31s %n", name, &used) != 1)
		return;
	free(n->question);
	n->question = alloc_text(text + used);
}

static void lab_save(const struct narration *n, bool replayed)
{
	const struct tour_lab *lab = n->place->lab;
	if (lab && !replayed)
		lab->save(lab->ctx);
}

/* ---- playing ---- */
enum played { PLAYED, PLAYED_IN_PART, PLAY_FAILED };

/* Plays a beat, or the rest of a beat. PLAYED_IN_PART: a question is open again; the rest follows
 * after its answer. PLAY_FAILED: a command failed or was interrupted, and the beat counts as not
 * played. */
static enum played play_commands(struct screen *s, const struct tour_beat *b, bool replayed)
{
	struct narration *n = &s->narration;
	const bool lab = n->place->lab;
	const unsigned from = n->resume;
	n->resume = 0;
	for (unsigned i = from; i < b->count; i++) {
		const char *command = b->commands[i];
		if (lab && !strncmp(command, "expect", 6)) {
			if (lab_judge(s, command, replayed)) {
				n->resume = i;
				return PLAYED_IN_PART;
			}
			continue;
		}
		if (lab && !strncmp(command, "ask ", 4))
			lab_note_question(n, command);
		if (!lab && !is_quiz(command))
			narration_append_formatted(n, INK_KEY, "(cyclops) %s", command);
		if (!strncmp(command, "view ", 5))
			continue;
		const enum command_result r = screen_console(s, command);
		if (lab && strncmp(command, "ask ", 4) != 0)
			lab_append_answer(s, command);
		else if (s->answer.n && !lab)
			narration_append_formatted(n, ROLE_PLAIN, "%s", s->answer.s);
		text_clear(&s->answer);
		if (r == CMD_ERROR)
			narration_append_formatted(n, ROLE_ERROR, "%s", s->console->err.msg);
		if (r != CMD_OK || s->running.stopped)
			return PLAY_FAILED;
	}
	return PLAYED;
}

static bool narration_play_beat(struct screen *s)
{
	struct narration *n = &s->narration;
	const struct tour_beat *b = narration_next_beat(n);
	struct err err;
	const bool replayed = n->playing;
	if (!n->resume) {
		narration_free_lines(&n->said, &n->said_count);
		free(n->verdict);
		n->verdict = NULL;
	}
	n->playing = true;
	const enum played done = play_commands(s, b, replayed);
	n->playing = replayed;
	places_note(screen_session(s), PLACE_STEP);
	n->top = n->wrapped = 0;
	narration_record_position(s);
	if (done == PLAY_FAILED)
		n->away = NARRATION_CHANGED;
	if (done != PLAYED) {
		lab_save(n, replayed);
		return false;
	}
	n->place->beat++;
	lab_save(n, replayed);
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
	if (!strncmp(line, "answer", 6)) {
		n->wrapped = 0;
		n->answered = narration_on(n) && n->place->lab && !*s->console->quiz->asked;
	}
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

/* True if the next beats have a verdict before another question. */
static bool lab_has_verdict_ahead(const struct narration *n)
{
	const struct tour *t = n->place->tour;
	char name[QUIZ_NAME];
	for (unsigned i = n->place->beat; i < t->count; i++) {
		const struct tour_beat *b = &t->beats[i];
		for (unsigned k = 0; k < b->count; k++) {
			if (lab_statement_question(b->commands[k], name))
				return true;
			if (!strncmp(b->commands[k], "ask ", 4))
				return false;
		}
	}
	return false;
}

void narration_go_on(struct screen *s)
{
	struct narration *n = &s->narration;
	if (!n->answered)
		return;
	n->answered = false;
	lab_save(n, false);
	if (!n->on_stage || n->away || !lab_has_verdict_ahead(n))
		return;
	/* Lines of all beats played below. */
	struct narration_line *said = NULL;
	unsigned count = 0;
	bool played;
	do {
		const struct tour_beat *b = narration_next_beat(n);
		if (!n->resume && n->place->beat && b[-1].step != b->step)
			narration_add_line(&said, &count, alloc_text(b->prose), ROLE_PLAIN);
		played = narration_play_beat(s);
		for (unsigned i = 0; i < n->said_count; i++)
			narration_add_line(&said, &count, n->said[i].text, n->said[i].meaning);
		free(n->said);
		n->said = NULL;
		n->said_count = 0;
	} while (played && !n->verdict && lab_has_verdict_ahead(n));
	n->said = said;
	n->said_count = count;
	n->wrapped = 0;
	show_stage(s);
}

bool narration_takes_key(const struct screen *s, int key)
{
	const struct narration *n = &s->narration;
	if (!narration_on(n) || !*s->console->quiz->asked)
		return false;
	return (key >= '0' && key <= '9') || (key == '?' && n->on_stage && !n->away);
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
	} else if (narration_at_end(n) && n->place->lab) {
		n->place->lab->to_task = true;
		s->quit = true;
	} else if (narration_at_end(n)) {
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
