/* The session's own stop points in a debugger's motions: breakpoints stop before their instruction,
 * watchpoints after the instruction that changed the value, others at the end of the cycle.
 *
 * Run control reports and counts the hits of a whole cycle at once. Here a hit counts as
 * soon as a motion reaches its place. */
#include "core/defs/event_fields.h"
#include "core/os/os.h"
#include "core/pipe/pipe.h"
#include "ui/console/motion.h"
#include "ui/console/stops.h"
#include "ui/remote/mover_priv.h"

static bool own_is_of_console(const struct mover *v, int id)
{
	return !points_owns(v, id) && id != v->signal_stop && id != v->switch_stop;
}

/* True if the stop point stops between two instructions, and not at the end of the cycle. */
static bool own_has_place(const struct stop_point *sp)
{
	return (sp->kind == STOP_POINT_PC && sp->stage == STAGE_COMMIT) ||
	       sp->kind == STOP_POINT_MEMORY || sp->kind == STOP_POINT_REG;
}

void own_landed(struct mover *v, const struct run_stop_info *info, bool forward)
{
	struct stop_hits all;
	struct own_hits *h = &v->own;
	const struct stop_point *sp;
	stop_hits_read(&all, v->s->run, info);
	*h = (struct own_hits){.forward = forward, .cycle = machine_cycle(v->s->machine)};
	h->forward &= all.n <= RUN_ALSO_MAX + 1; /* else not all are known */
	for (unsigned i = 0; i < all.n && i <= RUN_ALSO_MAX; i++)
		if (own_is_of_console(v, all.hit[i].stop_id))
			h->hits.hit[h->hits.n++] = all.hit[i];
	for (unsigned i = 0; forward && i < h->hits.n; i++) {
		struct stop_point *hit = run_stop(v->s->run, h->hits.hit[i].stop_id);
		if (hit && own_has_place(hit) && !h->hits.hit[i].only_left)
			hit->hits--;
	}
	for (unsigned i = 0; (sp = run_stop_at(v->s->run, i)); i++)
		h->newest = sp->id;
}

/* The hit that run control reported in this cycle, NULL: none. */
static struct run_stop_info *own_reported(struct mover *v, int id)
{
	struct own_hits *h = &v->own;
	if (h->cycle != machine_cycle(v->s->machine))
		return NULL;
	for (unsigned i = 0; i < h->hits.n; i++)
		if (h->hits.hit[i].stop_id == id)
			return &h->hits.hit[i];
	return NULL;
}

/* True if a stop point counts in this cycle: forwards, run control has reported it, unless it is
 * younger. */
static bool own_counts(struct mover *v, const struct stop_point *sp, bool forward)
{
	const struct own_hits *h = &v->own;
	if (!sp->enabled || sp->pending || !own_is_of_console(v, sp->id))
		return false;
	if (!forward)
		return true;
	return h->forward && h->cycle == machine_cycle(v->s->machine) && sp->id <= h->newest
	               ? own_reported(v, sp->id) != NULL
	               : !sp->ignore;
}

static void own_add(struct mover *v, const struct run_stop_info *hit, bool forward)
{
	struct stop_hits *here = motion_hits(v->c);
	struct stop_point *sp = run_stop(v->s->run, hit->stop_id);
	struct run_stop_info *reported = own_reported(v, hit->stop_id);
	if (sp && forward && own_has_place(sp) && !hit->only_left &&
	    (reported || sp->id > v->own.newest))
		sp->hits++;
	/* Not again at the end of the cycle; a call may end after its change. */
	if (reported && reported->left && !hit->left)
		reported->only_left = true;
	else if (reported)
		reported->reason = STOPPED_DONE;
	if (here->n <= RUN_ALSO_MAX)
		here->hit[here->n] = *hit;
	here->n++;
}

static bool own_is_of_thread(const struct stop_point *sp, const struct uop *u)
{
	return !sp->thread || sp->thread == u->thread + 1u;
}

/* Adds the hits of stop points whose call is over: before instruction i, which follows the return,
 * or after it, which leaves the call otherwise. */
static void own_add_left(struct mover *v, const struct group *g, unsigned i, bool before)
{
	const struct machine *m = v->s->machine;
	const struct uop *u = g->u[i];
	const struct event ev = {.id = EV_COMMIT,
	                         .cycle = u->when.end,
	                         .slot = (uint32_t)(u - machine_pipe(m)->pool),
	                         .seq = u->seq,
	                         .pc = u->pc};
	struct own_hits *h = &v->own;
	for (unsigned k = 0; h->forward && h->cycle == machine_cycle(m) && k < h->hits.n; k++) {
		const struct run_stop_info hit = h->hits.hit[k];
		const struct stop_point *sp = run_stop(v->s->run, hit.stop_id);
		if (!sp || !sp->edges || hit.reason != STOPPED_BREAK || hit.left != LEFT_END ||
		    (u->pc == sp->edge[1]) != before || u->pc == sp->edge[0] ||
		    !sp->edges(sp->ctx, m, &ev))
			continue;
		own_add(v, &(struct run_stop_info){.reason = STOPPED_BREAK,
		                                   .stop_id = sp->id,
		                                   .left = LEFT_END,
		                                   .only_left = true}, true);
	}
}

bool own_before(struct mover *v, const struct group *g, unsigned i, bool forward)
{
	const struct uop *u = g->u[i];
	const struct stop_point *sp;
	struct spot at = *v->at;
	at.back = g->n - i;
	motion_hits(v->c)->n = 0;
	if (forward)
		own_add_left(v, g, i, true);
	for (unsigned k = 0; (sp = run_stop_at(v->s->run, k)); k++)
		if (sp->kind == STOP_POINT_PC && sp->stage == STAGE_COMMIT && sp->addr == u->pc &&
		    own_is_of_thread(sp, u) && own_counts(v, sp, forward) &&
		    stops_hold_at(v->c, sp, &at))
			own_add(v,
			        &(struct run_stop_info){.reason = STOPPED_BREAK,
			                                .stop_id = sp->id,
			                                .pc = u->pc,
			                                .seq = u->seq},
			        forward);
	return motion_hits(v->c)->n;
}

/* Reads the watched word before and after u, which may write to it. False: u does not change it. */
static bool own_change(const struct stop_point *sp, const struct uop *u, struct spot *before,
                       struct spot *after, uint64_t *old, uint64_t *now, uint64_t *part)
{
	*old = *now = *part = 0;
	if (sp->kind == STOP_POINT_REG) {
		if (u->inst.rd != sp->reg)
			return false;
		*old = spot_reg(before, sp->reg);
		*now = spot_reg(after, sp->reg);
		return *old != *now;
	}
	if (sp->kind != STOP_POINT_MEMORY || !u->exec.stored)
		return false;
	for (unsigned k = 0; k < u->exec.size; k++) {
		const uint64_t offset = u->exec.addr + k - sp->addr;
		if (offset >= sp->size ||
		    !((u->exec.store_old ^ u->exec.store_new) >> 8 * k & 0xff))
			continue;
		/* as run control: the first changed word, from the first byte on */
		const uint64_t word = *part = offset / sizeof *old * sizeof *old;
		const size_t n = sp->size - word < sizeof *old ? (size_t)(sp->size - word)
		                                               : sizeof *old;
		return spot_peek(before, sp->addr + word, old, n) &&
		       spot_peek(after, sp->addr + word, now, n);
	}
	return false;
}

bool own_behind(struct mover *v, const struct group *g, unsigned i, bool forward)
{
	const struct uop *u = g->u[i];
	const struct stop_point *sp;
	struct spot before = *v->at, after = *v->at;
	uint64_t old, now, part;
	before.back = g->n - i;
	after.back = g->n - i - 1;
	motion_hits(v->c)->n = 0;
	for (unsigned k = 0; (sp = run_stop_at(v->s->run, k)); k++)
		if ((sp->kind == STOP_POINT_MEMORY || sp->kind == STOP_POINT_REG) &&
		    own_is_of_thread(sp, u) && own_counts(v, sp, forward) &&
		    own_change(sp, u, &before, &after, &old, &now, &part) &&
		    stops_hold_at(v->c, sp, &after)) {
			const struct run_stop_info *reported = own_reported(v, sp->id);
			struct run_stop_info hit = {.reason = STOPPED_BREAK,
			                            .stop_id = sp->id,
			                            .old_value = old,
			                            .new_value = now,
			                            .part = part,
			                            .pc = u->pc,
			                            .seq = u->seq};
			if (reported)
				hit.event = reported->event;
			own_add(v, &hit, forward);
		}
	if (forward)
		own_add_left(v, g, i, false);
	return motion_hits(v->c)->n;
}

bool own_at_end(struct mover *v, bool placed)
{
	struct own_hits *h = &v->own;
	motion_hits(v->c)->n = 0;
	if (h->cycle != machine_cycle(v->s->machine))
		return false;
	for (unsigned i = 0; i < h->hits.n; i++) {
		const struct run_stop_info hit = h->hits.hit[i];
		const struct stop_point *sp = run_stop(v->s->run, hit.stop_id);
		if (hit.reason != STOPPED_BREAK ||
		    (sp && !hit.left &&
		     ((sp->kind == STOP_POINT_PC && sp->stage == STAGE_COMMIT) ||
		      (!placed && own_has_place(sp)))))
			continue;
		own_add(v, &hit, h->forward);
	}
	return motion_hits(v->c)->n;
}
