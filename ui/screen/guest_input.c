#include "ui/screen/guest_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/os/os.h"
#include "core/run/run.h"
#include "ui/screen/cmdline.h"
#include "ui/screen/message.h"
#include "ui/screen/paste.h"
#include "ui/screen/term.h"

static const char HOW[] =
	"The program waits for a line of input. Ctrl-D ends the input, Esc stops.";
static const char KEPT[] = " If it keeps its question in a buffer, as stdio does for a pipe: set "
                           "sim.terminal = true, and run.";

/* Bytes of output of each stream when the guest last got input in this run. */
static void written_before(const struct screen *s, uint64_t out[2])
{
	const struct machine *m = screen_session(s)->machine;
	const bool answered = s->input.answered == m && s->input.cycle < machine_cycle(m);
	for (unsigned i = 0; i < 2; i++)
		out[i] = answered ? s->input.written[i] : 0;
}

/* Formats the prompt: the guest's output since its last newline and its last input, usually a
 * question. */
static void guest_input_format_prompt(const struct screen *s, char *out, size_t room)
{
	const struct os *os = machine_os_const(screen_session(s)->machine);
	const size_t pieces = os_output_pieces(os);
	const struct os_output_piece last = os_output_piece(os, pieces - 1, pieces);
	const unsigned stream = last.fd == 2;
	uint64_t first, before[2];
	size_t n, from;
	written_before(s, before);
	if (last.fd == OUT_TYPED) { /* it has printed no question */
		snprintf(out, room, "input: ");
		return;
	}
	const uint64_t begin =
		last.from[stream] > before[stream] ? last.from[stream] : before[stream];
	const char *bytes = os_output(os, (int)stream + 1, &first, &n);
	for (from = n; from > 0 && first + from > begin && bytes[from - 1] != '\n';)
		from--;
	while (n > from && bytes[n - 1] == ' ')
		n--;
	if (n == from)
		snprintf(out, room, "input: ");
	else
		snprintf(out, room, "%.*s ", (int)(n - from < room - 2 ? n - from : room - 2),
		         bytes + from);
}

/* True if the guest has written nothing since its last input. */
static bool has_written_nothing(const struct screen *s)
{
	uint64_t before[2];
	written_before(s, before);
	return !memcmp(before,
	               os_state_const(machine_os_const(screen_session(s)->machine))->out_bytes,
	               sizeof before);
}

static void say_how(struct screen *s)
{
	text_clear(&s->message);
	text_append(&s->message, HOW, sizeof HOW - 1);
	if (has_written_nothing(s) && !CONFIG(machine_config(screen_session(s)->machine), terminal))
		text_append(&s->message, KEPT, sizeof KEPT - 1);
	s->message_is_error = false;
}

/* Next key: keys typed ahead for the guest come first. */
static int next_key(struct screen *s)
{
	const int key = running_next_key(s, s->running.commands);
	if (key != TERM_PASTE)
		return key;
	paste_to_guest(s, s->running.commands);
	return TERM_IGNORED;
}

/* Reads a line. False with *ended: end of input; false without: the user has left the prompt. */
static bool guest_input_type_line(struct screen *s, bool *ended)
{
	char *line = NULL;
	*ended = false;
	while (!line && !*ended && s->cmdline.open && !s->quit) {
		const int key = next_key(s);
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
	if (!line)
		return false;
	text_clear(&s->input.line);
	text_append(&s->input.line, line, strlen(line));
	text_append(&s->input.line, "\n", 1);
	free(line);
	return true;
}

/* Prompts the user. True: a line or the end of the input was entered. */
static bool guest_input_prompt_user(struct screen *s, bool *ended)
{
	char label[256];
	const uint64_t began = screen_now_ns();
	const bool was_on = s->running.on;
	if (!s->running.asked)
		s->running.commands = s->typed_count;
	s->running.on = s->running.asked = s->input.waits = true;
	s->running.cycle = machine_cycle(screen_session(s)->machine);
	say_how(s);
	running_refresh(s);
	guest_input_format_prompt(s, label, sizeof label);
	cmdline_open_for_guest(s, label);
	const bool line = guest_input_type_line(s, ended);
	cmdline_close(s);
	s->running.on = was_on;
	s->running.began_ns += screen_now_ns() - began;
	s->input.waits = false;
	text_clear(&s->message);
	s->damaged = true;
	return line || *ended;
}

static int64_t guest_input_read_line(void *ctx, const void **bytes)
{
	struct screen *s = ctx;
	bool ended;
	if (s->running.ahead || !guest_input_prompt_user(s, &ended)) {
		s->running.stopped = true;
		run_interrupt(screen_session(s)->run);
		return -EINTR;
	}
	const struct machine *m = screen_session(s)->machine;
	s->input.answered = m;
	s->input.cycle = machine_cycle(m);
	memcpy(s->input.written, os_state_const(machine_os_const(m))->out_bytes,
	       sizeof s->input.written);
	*bytes = s->input.line.s;
	return ended ? 0 : (int64_t)s->input.line.n;
}

void guest_input_begin(struct screen *s)
{
	struct session *se = screen_session(s);
	if (se->launch.stdin_fd == STDIN_FILENO)
		session_ask_for_input(se, guest_input_read_line, s);
}

void guest_input_end(struct screen *s)
{
	struct session *se = screen_session(s);
	if (se->launch.input == guest_input_read_line)
		session_ask_for_input(se, NULL, NULL);
	text_deinit(&s->input.line);
}
