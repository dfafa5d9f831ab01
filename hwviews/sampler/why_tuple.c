#include "hwviews/sampler/why_tuple.h"

#include <inttypes.h>

#include "core/base/textbuf.h"
#include "core/prof/common/prof.h"
#include "hwviews/reports/report.h"
#include "hwviews/sampler/sampler_rows.h"

enum { TEXT = 256 };

static void say_hashed(struct textbuf *t, const struct sampler *sm, unsigned stage)
{
	const struct component *part = &sm->compressor.spec.stage[stage];
	const struct tuple tuple = sm->st->step[stage].in.tuple;
	textbuf_add(t, " component %u, %s", stage, format_component(part, BUFFER(96)));
	if (part->ops->tagged)
		textbuf_add(t, ", hashes it to set %" PRIu32 ", tag 0x%" PRIx32,
		            compressor_index(&sm->compressor, stage, tuple),
		            compressor_tag(&sm->compressor, stage, tuple));
	else if (part->split)
		textbuf_add(t, ", hashes it to %" PRIu32,
		            compressor_index(&sm->compressor, stage, tuple));
}

/* Appends the steps of components from `stage` on that the tuple has reached. A component's last
 * output is in its latch, or is the next one's last input. */
static void why_tuple_append_component_steps(struct textbuf *t, const struct session *s,
                                             unsigned stage)
{
	const struct sampler *sm = session_sampler(s);
	char did[TEXT];
	for (; stage < sm->compressor.spec.count; stage++) {
		const struct sampler_step *step = &sm->st->step[stage];
		say_hashed(t, sm, stage);
		textbuf_add(t, ": %s",
		            format_touch(&sm->compressor.spec.stage[stage], &step->touch, did,
		                       sizeof did));
		if (!step->out.count)
			return;
		textbuf_add(t, "; sent: %s × %s", format_tuple(s, step->out.tuple, did, sizeof did),
		            GROUPED(step->out.count));
		if (sm->st->latched >> stage & 1) {
			textbuf_add(t, ", which component %u takes next cycle", stage + 1);
			return;
		}
		textbuf_add(t,
		            stage + 1 < sm->compressor.spec.count
		                    ? ";" : ", to the message queue, where %s wait",
		            GROUPED(sm->st->message_count));
	}
}

static bool last_is_queued(const struct sampler *sm)
{
	return !sm->st->last_dropped && sm->st->tuple_count;
}

static bool way_is_last(const struct sampler *sm)
{
	return sm->st->last_cycle && !sm->st->last_dropped && !sm->st->tuple_count;
}

bool why_last_tuple(const struct session *s, char *buf, size_t n)
{
	struct textbuf t = {buf, n, 0};
	struct err err;
	const struct sampler *sm = session_sampler(s);
	buf[0] = '\0';
	if (!device_there(s, "sampler", &err)) {
		textbuf_add(&t, "%s", err.msg);
		return false;
	}
	if (!STAT(machine_stats(s->machine), sampler_selected)) {
		textbuf_add(&t, "nothing was selected yet: `view compressor` shows what "
		                "sampler.select chooses");
		return false;
	}
	textbuf_add(&t, "%s, selected %s:", format_tuple(s, sm->st->last, BUFFER(TEXT)),
	            format_ago(prof_now(session_prof(s)), sm->st->last_cycle, BUFFER(96)));
	if (sm->st->last_dropped)
		textbuf_add(&t, " dropped, the tuple queue was full: software never receives it");
	else if (last_is_queued(sm) && sm->st->tuple_count == 1)
		textbuf_add(&t, " the next in the tuple queue");
	else if (last_is_queued(sm))
		textbuf_add(&t, " waits in the tuple queue, after %s",
		            GROUPED(sm->st->tuple_count - 1));
	else
		why_tuple_append_component_steps(&t, s, 0);
	return true;
}

/* True if the line about the last tuple covers this component. */
static bool why_tuple_stage_is_described(const struct sampler *sm, unsigned stage)
{
	if (!way_is_last(sm))
		return false;
	for (unsigned i = 0; i < stage; i++)
		if (!sm->st->step[i].out.count || (sm->st->latched >> i & 1))
			return false;
	return true;
}

bool why_taken_tuple(const struct session *s, unsigned stage, char *buf, size_t n)
{
	struct textbuf t = {buf, n, 0};
	const struct sampler *sm = session_sampler(s);
	buf[0] = '\0';
	if (!sm || stage >= sm->compressor.spec.count ||
	    !step_is_now(session_prof(s), &sm->st->step[stage]) ||
	    why_tuple_stage_is_described(sm, stage))
		return false;
	textbuf_add(&t, "%s, taken this cycle:",
	            format_tuple(s, sm->st->step[stage].in.tuple, BUFFER(TEXT)));
	why_tuple_append_component_steps(&t, s, stage);
	return true;
}

bool why_gave_last_tuple(const struct session *s, const struct uop *u)
{
	const struct sampler *sm = session_sampler(s);
	const struct pipe *p = machine_pipe(s->machine);
	if (!sm || u->state != UOP_RETIRED || !sm->st->last_cycle || (u->flags & UF_MACHINE))
		return false;
	return tuple_pc(sm->st->last) == u->pc &&
	       prof_now(p->prof) - sm->st->last_cycle == p->st->cycle - u->when.end;
}
