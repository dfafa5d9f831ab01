/* Automatic stepping. */
#include "ui/screen/screen_state.h"

static const unsigned rates[] = {1, 2, 5, 10, 20, 50, 100};
enum { RATES = sizeof rates / sizeof *rates, FIRST_RATE = 5 };

void animate_set(struct screen *s, bool on)
{
	if (!s->animation.rate)
		s->animation.rate = FIRST_RATE;
	s->animation.on = on;
	s->animation.next_ns = screen_now_ns();
	s->damaged = true;
}

void animate_faster(struct screen *s, int by)
{
	int at = 0;
	if (!s->animation.rate)
		s->animation.rate = FIRST_RATE;
	while (at < RATES - 1 && rates[at] < s->animation.rate)
		at++;
	at += by;
	s->animation.rate = rates[at < 0 ? 0 : at >= RATES ? RATES - 1 : at];
	s->damaged = true;
}

int animate_wait(const struct screen *s)
{
	uint64_t now = screen_now_ns();
	if (!s->animation.on || s->popup.open || s->cmdline.open)
		return -1;
	return now >= s->animation.next_ns ? 0 : (int)((s->animation.next_ns - now) / 1000000 + 1);
}

void animate_tick(struct screen *s)
{
	uint64_t interval = 1000000000 / s->animation.rate, now = screen_now_ns();
	if (animate_wait(s) != 0)
		return;
	/* Don't catch up on missed steps. */
	s->animation.next_ns = s->animation.next_ns + 2 * interval < now
	                               ? now + interval
	                               : s->animation.next_ns + interval;
	screen_run(s, "step");
	/* Stop at a message, such as a breakpoint's, and at the end of the program. */
	if (s->message.n || machine_status(screen_session(s)->machine) != MACHINE_RUNNING) {
		s->animation.on = false;
		s->damaged = true;
	}
}
