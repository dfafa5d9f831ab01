#include "ui/screen/rebuild.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/own_program.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/spent.h"
#include "ui/child/child_words.h"
#include "ui/screen/cmd.h"
#include "ui/screen/term.h"
#include "ui/tour/tour.h"

/* When a file was written; zeros: there is none. */
static struct timespec rebuild_written(const char *path)
{
	struct stat st;
	return path && stat(path, &st) == 0 ? st.st_mtim : (struct timespec){0};
}

static const char *rebuild_program_file(const struct session *se)
{
	return se->launch.file ? se->launch.file : se->launch.path;
}

void rebuild_begin(struct screen *s)
{
	s->end.built = rebuild_written(rebuild_program_file(screen_session(s)));
}

static bool rebuild_later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* The file and line that take most of the time, or the source that was compiled; NULL: unknown. */
static const char *rebuild_source(const struct screen *s, unsigned *line)
{
	const struct session *se = screen_session(s);
	struct spent all;
	*line = 1;
	if (spent_find(se, &all) && all.count && all.place[0].at.file) {
		const char *path = program_source_path(se->program, all.place[0].at.file);
		*line = path ? all.place[0].at.line : 1;
		if (path)
			return path;
	}
	return s->narration.place->source;
}

bool exec_edit(struct screen *s, const char *args, struct err *err)
{
	unsigned line;
	const char *source = rebuild_source(s, &line);
	char *path = source ? alloc_real_path(source) : NULL;
	char at[16], shell[] = "/bin/sh", c[] = "-c", script[] = "exec ${EDITOR:-vi} \"$@\"",
		      name[] = "edit";
	struct err why;
	(void)args;
	if (!path)
		return err_set(err, "no source of the program is known: compile with -g");
	snprintf(at, sizeof at, "+%u", line);
	const struct timespec was = rebuild_written(path);
	const bool ran = term_lend((char *[]){shell, c, script, name, at, path, NULL}, &why);
	s->damaged = true;
	if (!ran)
		err_set(err, "no editor: %s; set EDITOR in the environment", why.msg);
	else if (rebuild_later(rebuild_written(path), was))
		screen_say(s, false, "%s has changed: r at the program's end %s",
		           file_base_name(path),
		           s->narration.place->source ? "builds it, runs it and compares"
		                                      : "runs what you have built, and compares");
	free(path);
	return ran;
}

static void rebuild_take_messages(void *ctx, const char *text, size_t n)
{
	text_append(ctx, text, n);
}

/* Tries to build and load the program in a child process, by the session's command line: a failure
 * leaves this session unchanged. */
static bool rebuild_try_build(struct screen *s, struct err *err)
{
	static const char *const first[] = {"inspect", "--batch", "--no-init", "-e", "quit"};
	char *const *argv = s->narration.place->argv;
	char self[PATH_MAX];
	struct child_words w;
	struct text said = {0};
	const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	own_program(self, sizeof self);
	child_words_init(&w);
	child_word(&w, self);
	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		child_word(&w, first[i]);
	for (unsigned i = 1; argv[i]; i++)
		child_word(&w, argv[i]);
	screen_say(s, false, "Building ...");
	s->draw(s);
	const int status = child_run(
		&w,
		&(struct child_way){.input = nothing,
	                            .take_output = rebuild_take_messages,
	                            .ctx = &said},
		err);
	child_words_deinit(&w);
	if (nothing >= 0)
		close(nothing);
	if (status > 0) {
		text_append(&s->log, said.s, said.n);
		err_set(err, "it does not build, and this run stays: %.300s (l shows all)",
		        said.n ? said.s : "");
		err->msg[strcspn(err->msg, "\n")] = '\0';
	}
	text_deinit(&said);
	return !status;
}

bool exec_again(struct screen *s, const char *args, struct err *err)
{
	const struct session *se = screen_session(s);
	struct tour_place *place = s->narration.place;
	unsigned line;
	const char *source = place->source ? place->source : rebuild_source(s, &line);
	const struct timespec program = rebuild_written(rebuild_program_file(se));
	const bool edited = rebuild_later(rebuild_written(source), program);
	const bool anew = rebuild_later(program, s->end.built) || (place->source && edited);
	(void)args;
	if (!anew || !place->argv || s->console->piped != stdin) {
		screen_run(s, "run");
		if (edited && s->message.n && !s->message_is_error) {
			char *text = alloc_text(s->message.s);
			screen_say(s, false, "%s. %s is newer than the program: build it first",
			           text ? text : "", file_base_name(source));
			free(text);
		}
		return true;
	}
	if (!rebuild_try_build(s, err))
		return false;
	place->again = true;
	place->cycles = s->end.cycles;
	place->insts = s->end.insts;
	s->quit = true;
	return true;
}
