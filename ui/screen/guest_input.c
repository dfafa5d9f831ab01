#include "ui/screen/guest_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os/os.h"
#include "core/run/run.h"
#include "ui/screen/message.h"
#include "ui/screen/term.h"

static const char HOW[] = "The program waits for a line of input. Ctrl-D ends the input, Esc stops.";

/* What the guest has written since its last newline, or since the last answer: mostly the question. */
static void question(const struct screen *s, char *out, size_t room)
{
	uint64_t first;
	size_t n, from;
	const char *bytes = os_output(machine_os_const(screen_session(s)->machine), 1, &first, &n);
	for (from = n; from > 0 && bytes[from - 1] != '\n' && first + from != s->input.written;)
		from--;
	while (n > from && bytes[n - 1] == ' ')
		n--;
	if (n == from)
		snprintf(out, room, "input: ");
	else
		snprintf(out, room, "%.*s ", (int)(n - from < room - 2 ? n - from : room - 2), bytes + from);
}

/* A line is there, or the end of the input (false with *ended), or neither: a person wants the inspector. */
static bool type_line(struct screen *s, bool *ended)
{
	char *line = NULL;
	*ended = false;
	while (!line && !*ended && s->cmdline.open && !s->quit) {
		const int key = term_key();
		if (key == TERM_NO_KEY) {
			screen_draw(s);
			term_wait(-1);
			running_signals(s);
			if (machine_interrupted(screen_session(s)->machine))
				break;
		} else if (key != TERM_IGNORED && key != TERM_MOUSE) {
			cmdline_key(s, key);
			line = cmdline_take(s);
			*ended = s->cmdline.ended;
		}
	}
	if (line) {
		text_append(&s->input.rest, line, strlen(line));
		text_append(&s->input.rest, "\n", 1);
	}
	free(line);
	return s->input.rest.n;
}

static int64_t ask(struct screen *s)
{
	char label[256];
	bool ended;
	const uint64_t began = screen_now_ns();
	const bool was_on = s->running.on;
	struct text said = s->message;
	s->message = (struct text){0};
	text_append(&s->message, HOW, sizeof HOW - 1);
	s->message_is_error = false;
	s->running.on = s->input.waits = true;
	s->running.cycle = machine_cycle(screen_session(s)->machine);
	running_show_output(s);
	question(s, label, sizeof label);
	cmdline_open_for_guest(s, label);
	const bool line = type_line(s, &ended);
	cmdline_close(s);
	s->running.on = was_on;
	s->running.began_ns += screen_now_ns() - began;
	s->input.waits = false;
	text_deinit(&s->message);
	s->message = said;
	s->damaged = true;
	if (line || ended) {
		s->input.written = os_state_const(machine_os_const(screen_session(s)->machine))->out_bytes[0];
		return 0;
	}
	s->running.stopped = true;
	run_interrupt(screen_session(s)->run);
	return -EINTR;
}

static int64_t read_line(void *ctx, void *bytes, size_t n)
{
	struct screen *s = ctx;
	struct text *rest = &s->input.rest;
	const int64_t r = rest->n ? 0 : ask(s);
	if (r)
		return r;
	n = n < rest->n ? n : rest->n;
	memcpy(bytes, rest->n ? rest->s : "", n);
	text_drop(rest, n);
	return (int64_t)n;
}

void guest_input_begin(struct screen *s)
{
	struct session *se = screen_session(s);
	if (se->launch.stdin_fd == STDIN_FILENO)
		session_ask_for_input(se, read_line, s);
}

void guest_input_end(struct screen *s)
{
	struct session *se = screen_session(s);
	if (se->launch.input == read_line)
		session_ask_for_input(se, NULL, NULL);
	text_deinit(&s->input.rest);
}
