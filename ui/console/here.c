#include "ui/console/here.h"

#include "core/os/thread.h"
#include "ui/console/command_state.h"

struct spot *here_spot(const struct console *c)
{
	struct spot *at = &c->state->here;
	if (!at->s) {
		at->s = c->session;
		spot_reset(at);
	}
	return at;
}

void here_look(struct console *c)
{
	const struct spot *at = here_spot(c);
	machine_look_from(c->session->machine, NULL);
	if (at->back || at->ahead || at->frame)
		spot_look(at, &c->state->viewpoint);
}

void here_settle(struct console *c)
{
	struct spot *at = c->session ? here_spot(c) : NULL;
	if (!at || (at->cycle == machine_cycle(c->session->machine) &&
	            (at->ahead || at->back <= spot_group(at).n)))
		return;
	here_reset(c);
}

void here_reset(struct console *c)
{
	spot_reset(here_spot(c));
	machine_look_from(c->session->machine, NULL);
}

bool here_change(struct console *c, const struct change *what, struct err *err)
{
	struct spot *at = here_spot(c);
	const uint32_t tid = machine_seen_thread(c->session->machine)->tid;
	const bool reached = at->reached, ok = spot_change(at, what, err);
	at->reached = reached;
	if (tid == spot_tid(at))
		here_look(c);
	else
		machine_see_thread(c->session->machine, tid);
	return ok;
}

uint64_t here_insts(const struct console *c, unsigned *older)
{
	const struct spot *at = here_spot(c);
	const struct group g = spot_group(at);
	uint64_t insts = machine_insts(c->session->machine);
	*older = 0;
	if (!at->back || at->back > g.n || at->cycle != machine_cycle(c->session->machine))
		return insts;
	*older = g.n - at->back;
	if (at->ahead)
		return insts + *older;
	for (unsigned i = *older; i < g.n; i++)
		insts -= !(g.u[i]->flags & UF_MACHINE);
	return insts;
}

struct stand here_stand(const struct console *c)
{
	const struct spot *at = here_spot(c);
	struct run_history h;
	run_history(c->session->run, &h);
	return (struct stand){machine_cycle(c->session->machine), h.cuts, h.changes, at->back,
	                      at->ahead};
}

bool here_has_moved(const struct console *c, const struct stand *was)
{
	const struct stand is = here_stand(c);
	return is.cycle != was->cycle || is.cuts != was->cuts || is.changes != was->changes ||
	       is.back != was->back || is.ahead != was->ahead;
}
