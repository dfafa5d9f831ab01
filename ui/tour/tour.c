#include "ui/tour/tour.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"

/* Blanks before a line that stands alone, such as a command in the middle of prose. */
enum { ALONE = 6 };

/* State of reading a tour's file. */
struct reader {
	struct tour *t;
	char *prose;  /* of the current step; owned */
	bool broken;  /* an empty line or a command has ended the prose's last paragraph */
	bool alone;   /* its last line stands alone: the next does not continue it */
	bool open;    /* further commands join the last beat */
	bool short_of_memory;
};

static void *tour_grow_array(struct reader *r, void *all, unsigned count, size_t size)
{
	void *more = alloc_resize(all, (count + 1) * size);
	r->short_of_memory |= !more;
	return more;
}

static struct tour_beat *add_beat(struct reader *r)
{
	struct tour *t = r->t;
	struct tour_beat *more = tour_grow_array(r, t->beats, t->count, sizeof *more);
	if (!more)
		return NULL;
	t->beats = more;
	struct tour_beat *b = &t->beats[t->count];
	*b = (struct tour_beat){.prose = alloc_text(r->prose ? r->prose : ""), .step = t->steps};
	r->short_of_memory |= !b->prose;
	t->count++;
	return b;
}

static bool tour_command_shows_view(const char *command)
{
	return !strncmp(command, "view ", 5);
}

/* A question ends its beat: the user answers before later commands run. */
static bool tour_command_is_question(const char *command)
{
	return !strncmp(command, "ask ", 4);
}

/* True for commands that only matter when the tour is played as text. */
static bool about_text(const char *command)
{
	return !strncmp(command, "set width", 9) || !strncmp(command, "set echo", 8);
}

static void take_command(struct reader *r, const char *text)
{
	struct tour *t = r->t;
	struct tour_beat *b = t->count ? &t->beats[t->count - 1] : NULL;
	if (about_text(text))
		return;
	if (!t->steps)
		t->steps = 1; /* the tour begins without prose */
	if (!r->open || !b || tour_command_is_question(b->commands[b->count - 1]) ||
	    (tour_command_shows_view(b->commands[b->count - 1]) && !tour_command_shows_view(text)))
		b = add_beat(r);
	char **more = b ? tour_grow_array(r, b->commands, b->count, sizeof *more) : NULL;
	if (!more)
		return;
	b->commands = more;
	b->commands[b->count] = alloc_text(text);
	r->short_of_memory |= !b->commands[b->count];
	b->count += b->commands[b->count] != NULL;
	r->open = b->count > 0;
}

static void take_prose(struct reader *r, const char *text)
{
	char *joined;
	/* Prose after commands begins a step. */
	if (r->open || !r->prose) {
		free(r->prose);
		r->prose = NULL;
		r->open = false;
		r->t->steps++;
	}
	const size_t indent = strspn(text, " ");
	const bool alone = indent >= ALONE;
	if (!(joined = alloc_format("%s%s%s", r->prose ? r->prose : "",
	                            !r->prose           ? ""
	                            : r->broken         ? "\n\n"
	                            : alone || r->alone ? "\n"
	                                                : " ",
	                            text + indent))) {
		r->short_of_memory = true;
		return;
	}
	free(r->prose);
	r->prose = joined;
	r->broken = false;
	r->alone = alone;
}

/* Parses "# word: value" of the header. */
static void tour_parse_header(struct reader *r, const char *text)
{
	static const char *const words[] = {"program: ", "options: ", "input: "};
	char **to[] = {&r->t->program, &r->t->options, &r->t->input};
	if (!r->t->title[0])
		snprintf(r->t->title, sizeof r->t->title, "%s", text);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (strncmp(text, words[i], strlen(words[i])) != 0)
			continue;
		free(*to[i]);
		*to[i] = alloc_text(text + strlen(words[i]));
	}
}

static void tour_read_lines(struct reader *r, FILE *f)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n;
	for (bool header = true; !r->short_of_memory && (n = alloc_line(&line, &room, f)) >= 0;) {
		while (n > 0 && isspace((unsigned char)line[n - 1]))
			line[--n] = '\0';
		const char *text = line + strspn(line, " \t"),
			   *prose = text + (*text == '#') + (*text == '#' && text[1] == ' ');
		/* An empty comment counts as an empty line. */
		const bool empty = !prose[strspn(prose, " \t")];
		if (empty && !header)
			r->broken = true;
		header = header && (*text == '#' || about_text(text));
		if (header && *text == '#')
			tour_parse_header(r, prose);
		else if (*text == '#' && !empty)
			take_prose(r, prose);
		else if (!empty)
			take_command(r, text);
	}
	free(line);
	/* Closing words, after the last command. */
	if (r->prose && !r->open && add_beat(r))
		r->open = true;
	free(r->prose);
}

bool tour_read(struct tour *t, const char *path, struct err *err)
{
	struct reader r = {.t = t};
	const char *slash = strrchr(path, '/');
	FILE *f = open_input(path);
	*t = (struct tour){0};
	if (!f)
		return err_set(err, "%s: %s", path, open_input_error());
	snprintf(t->name, sizeof t->name, "%.*s", (int)strcspn(slash ? slash + 1 : path, "."),
	         slash ? slash + 1 : path);
	t->path = alloc_text(path);
	t->program = alloc_text("");
	t->options = alloc_text("");
	t->input = alloc_text("");
	tour_read_lines(&r, f);
	const bool broken = ferror(f) != 0;
	fclose(f);
	if (r.short_of_memory || !t->path || !t->program || !t->options || !t->input)
		err_set(err, "%s: out of memory", path);
	else if (broken)
		err_set(err, "%s can't be read", path);
	else if (!t->count)
		err_set(err,
		        "%s is no tour; expected a header of comments, then comments with commands "
		        "below them",
		        path);
	else
		return true;
	tour_deinit(t);
	return false;
}

void tour_deinit(struct tour *t)
{
	for (unsigned i = 0; i < t->count; i++) {
		for (unsigned k = 0; k < t->beats[i].count; k++)
			free(t->beats[i].commands[k]);
		free(t->beats[i].commands);
		free(t->beats[i].prose);
	}
	free(t->beats);
	free(t->path);
	free(t->program);
	free(t->options);
	free(t->input);
	*t = (struct tour){0};
}
