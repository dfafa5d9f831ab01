/* `cyclops` alone on a terminal: shows the start page, and runs each choice in a process. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/own_program.h"
#include "ui/child/child_words.h"
#include "ui/cli/cli.h"
#include "ui/cli/last_session.h"
#include "ui/lab/lab.h"
#include "ui/render/safe_print.h"
#include "ui/screen/start_page.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

/* The first begins with the first tour until there is a session to continue. */
enum { CONTINUE, TOURS, LABS, DEMOS, PLAYGROUND, OPEN, MANUAL, LISTS };

struct start {
	struct start_list lists[LISTS];
	struct last_session last;
	bool goes_on;
	char said[256], labs[64];
};

static void cli_start_add_item(struct start_list *l, const char *name, const char *help,
                               const char *command, const char *word)
{
	if (l->count == START_ITEMS)
		return;
	struct start_item *i = &l->item[l->count++];
	*i = (struct start_item){.name = alloc_text(name),
	                         .help = alloc_text(help),
	                         .words = {alloc_text(command), word ? alloc_text(word) : NULL}};
}

static void cli_start_add_tour(void *ctx, const struct tour *t)
{
	cli_start_add_item(ctx, t->name, t->title, "tour", t->name);
}

static void add_demo(void *ctx, const char *name, const char *help)
{
	cli_start_add_item(ctx, name, help, "demo", name);
}

/* Adds labs; the text has how many are begun and done. Progress comes first, because titles may be
 * truncated. */
static void add_labs(struct start_list *l, const char *root, char *said, size_t n)
{
	unsigned begun = 0, finished = 0;
	struct lab *labs = alloc_zeroed(LABS_MAX, sizeof *labs);
	struct lab_progress *p = alloc_zeroed(1, sizeof *p);
	const unsigned count = labs && p ? labs_all(root, labs) : 0;
	for (unsigned i = 0; i < count; i++) {
		char name[LAB_NAME + 16], help[LAB_TITLE + 128], done[120], number[16];
		const char *colon = strstr(labs[i].title, ": ");
		lab_progress_read(&labs[i], p);
		lab_progress_text(&labs[i], p, done, sizeof done);
		snprintf(name, sizeof name, "%u %s", labs[i].number,
		         labs[i].name + strspn(labs[i].name, "0123456789-"));
		snprintf(help, sizeof help, "%s%s%s", done, *done ? ": " : "",
		         colon ? colon + 2 : labs[i].title);
		snprintf(number, sizeof number, "%u", labs[i].number);
		cli_start_add_item(l, name, help, "lab", number);
		const bool all = p->max ? p->grade == p->max : 0;
		finished += all;
		begun += !all && (p->beat || p->max);
	}
	snprintf(said, n, "exercises, graded: %u of %u done, %u begun", finished, count, begun);
	free(labs);
	free(p);
}

static void cli_start_build_lists(struct start *s)
{
	char root[PATH_MAX];
	bool installed;
	static const struct {
		const char *name, *help, *about;
	} rows[LISTS] = {
		{"First tour", "a few minutes: a pipeline, back in time",
	         "An anagram finder on a machine that is four wide and out of order.\n"
	         "Space goes on, other keys explore, Space leads back.\n"
	         "\n"
	         "  #15419179  add s7,s7,a5     FD·······\n"
	         "  #15419180  bne a4,t2,find    FDIW····   its turn to commit\n"
	         "  #15419181  ld a0,0(a4)        FD··IMM   data from L1D\n"
	         "  #15419184  sub a5,a0,t6       FD·····   a0, of #15419181\n"
	         "  #15419187  addi a5,a5,-1       FD····   a5, of #15419184\n"
	         "\n"
	         "  F fetched  D dispatched  I issued  X executes  M memory\n"
	         "  W result  C committed  · waits  x squashed"},
		{"Tours", "guided tours: demo programs, step by step", NULL},
		{"Labs", NULL, NULL},
		{"Demos", "programs to look into", NULL},
		{"Playground", "write assembly, run it, see its cycles",
	         "A text of RISC-V assembly or C beside the machine that runs it.\n"
	         "F5 runs what is written, s and S step through it.\n"
	         "\n"
	         "  cyclops asm FILE.s      the same with a file of yours"},
		{"Open", "a program of your own: its path",
	         "A RISC-V Linux program, static or dynamic, or a source that is\n"
	         "compiled first. The screen opens where most of its time goes.\n"
	         "\n"
	         "  cyclops prog.c          compile and inspect it\n"
	         "  cyclops ./prog ARGS     with its arguments"},
		{"Manual", "the pages of the manual",
	         "Lists all pages; `cyclops manual PAGE` shows one here, and\n"
	         "`cyclops manual --browser` all of them with their pictures.\n"
	         "`cyclops help` is the reference."},
	};
	for (unsigned i = 0; i < LISTS; i++)
		s->lists[i] = (struct start_list){
			.name = rows[i].name, .help = rows[i].help, .about = rows[i].about};
	s->goes_on = last_session_read(&s->last);
	s->lists[CONTINUE].direct = true;
	if (s->goes_on) {
		size_t n = (size_t)snprintf(s->said, sizeof s->said, "cyclops");
		for (char **w = s->last.words; *w && n < sizeof s->said; w++)
			n += (size_t)snprintf(s->said + n, sizeof s->said - n, " %s", *w);
		s->lists[CONTINUE].name = "Continue";
		s->lists[CONTINUE].help = s->lists[CONTINUE].about = s->said;
		cli_start_add_item(&s->lists[CONTINUE], "", "", "", NULL);
	} else {
		cli_start_add_item(&s->lists[CONTINUE], "", "", "tour", "first");
	}
	s->lists[PLAYGROUND].direct = true;
	cli_start_add_item(&s->lists[PLAYGROUND], "", "", "asm", NULL);
	s->lists[OPEN].asks = "Program:";
	s->lists[MANUAL].direct = true;
	cli_start_add_item(&s->lists[MANUAL], "", "", "manual", NULL);
	if (course_enter(NULL)) {
		tour_each(cli_start_add_tour, &s->lists[TOURS]);
		if (course_root(root, sizeof root, &installed, NULL))
			add_labs(&s->lists[LABS], root, s->labs, sizeof s->labs);
		tour_each_demo(add_demo, &s->lists[DEMOS]);
	}
	s->lists[LABS].help = s->lists[LABS].count ? s->labs : "none here yet";
}

static void cli_start_free_lists(struct start *s)
{
	for (unsigned i = 0; i < LISTS; i++)
		for (unsigned k = 0; k < s->lists[i].count; k++) {
			struct start_item *item = &s->lists[i].item[k];
			free(item->name);
			free(item->help);
			free(item->words[0]);
			free(item->words[1]);
		}
}

/* Runs cyclops with these words in a folder, and waits; of_course: with the chosen course. */
static int cli_start_spawn_choice(char *const *words, const char *folder, bool of_course)
{
	char program[PATH_MAX];
	const char *chosen = of_course ? course_chosen() : NULL;
	struct child_words w;
	struct err err;
	own_program(program, sizeof program);
	child_words_init(&w);
	child_word(&w, program);
	for (int i = 0; i < LAST_WORDS && words[i]; i++) {
		child_word(&w, words[i]);
		if (!i && chosen) {
			child_word(&w, "--course");
			child_word(&w, chosen);
		}
	}
	int status = -1;
	if (chdir(folder) != 0)
		err_set(&err, "%s: %s", folder, strerror(errno));
	else
		status = child_run(&w, NULL, &err);
	child_words_deinit(&w);
	return status < 0 ? say_error("%s", err.msg) : status;
}

/* False: the typed path can't be opened; place->wrong has the reason. */
static bool cli_start_can_open(struct start_place *place)
{
	struct stat st;
	place->wrong[0] = '\0';
	if (stat(place->typed, &st) != 0 || access(place->typed, R_OK) != 0)
		snprintf(place->wrong, sizeof place->wrong, "%.100s: %s", place->typed,
		         strerror(errno));
	else if (!S_ISREG(st.st_mode))
		snprintf(place->wrong, sizeof place->wrong, "%.100s: expected a file%s",
		         place->typed, S_ISDIR(st.st_mode) ? ", this is a folder" : "");
	return !*place->wrong;
}

int cli_start(void)
{
	struct start *s = alloc_zeroed(1, sizeof *s);
	struct start_place place = {0};
	char folder[PATH_MAX];
	struct err err;
	int status = 0;
	bool leave = false;
	if (!s || !getcwd(folder, sizeof folder)) {
		free(s);
		return say_error("%s", strerror(errno));
	}
	while (!leave && status == 0) {
		const struct start_item *item = NULL;
		memset(s->lists, 0, sizeof s->lists);
		cli_start_build_lists(s);
		if (!start_page(s->lists, LISTS, &place, &item, &leave, &err)) {
			status = say_error("%s", err.msg);
		} else if (!leave && (item || cli_start_can_open(&place))) {
			char *typed[] = {place.typed, NULL};
			const bool last = s->goes_on && item == &s->lists[CONTINUE].item[0];
			char *const *words = !item ? typed : last ? s->last.words : item->words;
			const bool of_course =
				item && !last && item != &s->lists[PLAYGROUND].item[0];
			status = cli_start_spawn_choice(words, last ? s->last.folder : folder,
			                                of_course);
			/* Leave the start page, so that the list of pages stays visible. */
			leave = item == &s->lists[MANUAL].item[0];
		}
		cli_start_free_lists(s);
	}
	free(s);
	return status;
}
