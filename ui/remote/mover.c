/* Initialises a mover, and supplies the program's input. */
#include "ui/remote/mover.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/host/wait_ready.h"
#include "ui/console/checkpoints.h"
#include "ui/console/command_state.h"
#include "ui/console/here.h"

void mover_init(struct mover *v, struct session *s, struct console *c)
{
	v->s = s;
	v->c = c;
	v->at = here_spot(c);
	c->state->mover = v;
	v->deliver = -1;
}

bool mover_change(struct mover *v, const struct change *c, struct err *err)
{
	if (!spot_change(v->at, c, err))
		return false;
	v->told_end = false;
	return true;
}

void mover_restarted(struct mover *v)
{
	checkpoints_clear(v->c);
	spot_reset(v->at);
	v->gone = v->told_end = v->moved = false;
	v->stepped = 0;
	v->before = (struct mover_signal){0};
	memset(v->to_send, 0, sizeof v->to_send);
	memset(v->sent, 0, sizeof v->sent);
	memset(v->stopped, 0, sizeof v->stopped);
	v->halt = (struct halt){.kind = HALT_STEP};
}

int64_t mover_input(void *ctx, const void **bytes)
{
	struct mover *v = ctx;
	enum { LOOK_MS = 50 };
	int ready;
	*bytes = v->input_bytes;
	while ((ready = wait_input(v->input, LOOK_MS)) == 0)
		if (v->wants_stop && v->wants_stop(v->ctx)) {
			run_interrupt(v->s->run);
			return -EINTR;
		}
	if (ready < 0)
		return -EINTR; /* a signal, whose handler has requested the stop */
	const ssize_t n = read(v->input, v->input_bytes, sizeof v->input_bytes);
	return n >= 0 ? n : errno == EINTR ? -EINTR : 0;
}
