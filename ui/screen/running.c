/* While a command moves the machine: shows progress, stops at Esc, queues other keys. */
#include <ncurses.h>
#include <string.h>
#include <time.h>

#include "ui/console/interrupt.h"
#include "ui/screen/end_page.h"
#include "ui/screen/playground.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/term.h"
#include "ui/screen/timeline.h"

/* Panes are refreshed less often if that takes long: for at most 1/REFRESH_SHARE of the time. */
enum {
	FIRST_SHOWN_MS = 120,
	BUILD_SHOWN_MS = 700,
	SHOWN_EVERY_MS = 100,
	REFRESH_EVERY_MS = 250,
	REFRESH_SHARE = 100
};

uint64_t screen_now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool running_key_interrupts(const struct screen *s, int key)
{
	if (key == 27 || key == 3)
		return true;
	return !s->running.builds && ((!s->running.asked && (key == ' ' || key == 'q')) ||
	                              (key >= TERM_ALT && key < TERM_MOUSE));
}

/* True if the keys typed ahead end within a line: all keys from the one that opens the prompt or
 * the palette to Enter are text. */
static bool types_a_line(const struct screen *s)
{
	bool line = false;
	for (unsigned i = 0; i < s->typed_count; i++) {
		const int key = s->typed[i];
		const char *command = line ? NULL : screen_bound(s, key);
		line = line ? key != '\r' && key != '\n' && key != TERM_SPECIAL + KEY_ENTER
		            : command && (!strncmp(command, "prompt", 6) ||
		                          !strcmp(command, "palette"));
	}
	return line;
}

/* Keeps the text of TERM_PASTE. False: drop the key, its text was appended to a paste that is still
 * waiting. */
static bool running_keep_paste(struct screen *s, int key)
{
	if (key != TERM_PASTE)
		return true;
	const bool first = !s->paste_waits;
	const char *text = term_paste();
	if (first)
		text_clear(&s->pasted); /* drop a paste that was not confirmed */
	else
		text_append(&s->pasted, "\n", 1);
	text_append(&s->pasted, text, strlen(text));
	s->paste_waits = true;
	return first;
}

/* Reads all keys that the screen gets from the terminal. */
static int read_key(struct screen *s)
{
	const int key = term_key();
	return running_keep_paste(s, key) ? key : TERM_IGNORED;
}

int running_next_key(struct screen *s, unsigned at)
{
	if (s->typed_count <= at)
		return read_key(s);
	const int key = s->typed[at];
	memmove(s->typed + at, s->typed + at + 1, (--s->typed_count - at) * sizeof *s->typed);
	return key;
}

/* Queues keys typed ahead. True if a key stops the machine. While the screen opens, Space waits for
 * its turn, and so does q after other keys; q alone ends the opening, and then leaves. */
static bool look_at_keys(struct screen *s)
{
	int key;
	bool stop = false;
	while ((key = read_key(s)) != TERM_NO_KEY) {
		const bool text = (key == ' ' || key == 'q') && types_a_line(s);
		const bool waits = s->opens && (key == ' ' || (key == 'q' && s->typed_count));
		if (key == ' ' && s->narration.playing && !text) {
			continue; /* Space while the tour already plays: drop it */
		} else if (!text && !waits && running_key_interrupts(s, key)) {
			stop = true;
			s->paste_waits = false;
			s->typed_count = 0; /* drop keys that were typed before the stop */
			if (s->opens && key == 'q')
				s->typed[s->typed_count++] = key;
		} else if (key != TERM_IGNORED && key != TERM_MOUSE && s->typed_count < TYPED_MAX) {
			s->typed[s->typed_count++] = key;
		}
	}
	return stop;
}

void running_gone(struct screen *s)
{
	struct playground *p = s->playground;
	if (p)
		playground_gone(p);
	s->quit = true;
}

unsigned running_signals(struct screen *s)
{
	const unsigned signals = term_signals();
	if (signals & TERM_STOP)
		term_suspend();
	if (signals & TERM_CONTINUED)
		term_continue();
	if (signals & TERM_RESIZED)
		term_resize();
	if (signals & TERM_GONE)
		running_gone(s);
	if (signals)
		s->damaged = true;
	return signals;
}

void running_refresh(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	end_page_leave(s);
	const unsigned n = screen_panes(s, p);
	for (unsigned i = 0; i < n; i++)
		pane_refresh(p[i], screen_session(s), s->cycle);
	timeline_build(s);
}

bool running_in_the_past(const struct screen *s)
{
	const struct running *r = &s->running;
	return r->cycle != machine_cycle(screen_session(s)->machine) || r->cycle < r->began_cycle;
}

static void refresh_when_due(struct screen *s)
{
	struct running *r = &s->running;
	const uint64_t now = screen_now_ns();
	if (now < r->refresh_ns || running_in_the_past(s))
		return;
	running_refresh(s);
	const uint64_t took = screen_now_ns() - now;
	r->refresh_ns = now + took * REFRESH_SHARE;
	if (took * REFRESH_SHARE < REFRESH_EVERY_MS * UINT64_C(1000000))
		r->refresh_ns = now + REFRESH_EVERY_MS * UINT64_C(1000000);
}

static bool running_on_progress(void *ctx, uint64_t cycle)
{
	struct screen *s = ctx;
	struct running *r = &s->running;
	const uint64_t now = screen_now_ns();
	if (r->builds && now - r->began_ns < BUILD_SHOWN_MS * UINT64_C(1000000))
		return false;
	const unsigned signals = running_signals(s);
	r->worked |= run_work(screen_session(s)->run) != NULL;
	r->cycle = cycle;
	if (look_at_keys(s) || s->quit) {
		r->stopped = true;
		return true;
	}
	if (now - r->began_ns < FIRST_SHOWN_MS * UINT64_C(1000000) && !signals)
		return false;
	if (!signals && now - r->shown_ns < SHOWN_EVERY_MS * UINT64_C(1000000))
		return false;
	r->shown_ns = now;
	r->on = true;
	if (!run_work(screen_session(s)->run)) /* run_work(): panes keep their contents */
		refresh_when_due(s);
	s->draw(s);
	return false;
}

static void running_on_interrupt(void *ctx)
{
	interrupt_now(ctx);
}

void running_begin(struct screen *s)
{
	const struct session *se = screen_session(s);
	s->running = (struct running){
		.began_ns = screen_now_ns(),
		.began_cycle = machine_cycle(se->machine),
		.cycle = machine_cycle(se->machine),
		.typed = s->typed_count,
	};
	run_set_progress(se->run, running_on_progress, s);
	term_on_interrupt(running_on_interrupt, se->run);
}

void running_end(struct screen *s)
{
	/* Drop keys typed for the guest and not read by it: they are no commands. */
	if (s->running.asked && !look_at_keys(s) && s->typed_count > s->running.commands) {
		s->typed_count = s->running.commands;
		s->paste_waits = false;
	}
	/* Drop keys typed during a command's run_work(), too: they would close its answer. A view
	 * that is built has none, and keys of the opening are the first commands. */
	if (s->running.worked && !s->running.builds && !s->opens &&
	    s->typed_count > s->running.typed) {
		s->typed_count = s->running.typed;
		s->paste_waits = false;
		for (unsigned i = 0; i < s->typed_count; i++)
			s->paste_waits |= s->typed[i] == TERM_PASTE;
	}
	term_on_interrupt(NULL, NULL);
	run_set_progress(screen_session(s)->run, NULL, NULL);
	/* A Ctrl-C during this motion has been handled. */
	s->signals |= term_signals() & ~(unsigned)TERM_INTERRUPT;
	if (s->running.on)
		s->damaged = true;
	s->running.on = false;
}
