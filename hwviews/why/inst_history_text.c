/* An instruction's history in words: a line for each event. */
#include <inttypes.h>

#include "core/base/textbuf.h"
#include "hwviews/machine/predictor.h"
#include "hwviews/session/session.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/inst_history.h"

static void inst_history_text_append_address(struct textbuf *l, const struct session *s,
                                             uint64_t addr)
{
	textbuf_add(l, "%s", format_addr(s, addr, BUFFER(128)));
}

static void inst_history_text_append_uop(struct textbuf *l, const struct session *s,
                                         const struct uop *u)
{
	textbuf_add(l, "#%" PRIu64 " %s", u->seq, format_uop(s, u, BUFFER(128)));
}

static const char *inst_history_text_direction_name(bool taken)
{
	return taken ? "taken" : "not taken";
}

/* Appends the numbers that the predictor's direction is made of, the one used first. */
static void say_parts(struct textbuf *l, const struct bpred *b,
                      const struct inst_history_prediction *y)
{
	const char *history = format_history(b, y->history, BUFFER(40));
	if (!y->parts)
		textbuf_add(l, "%s%s%s", b->by->believed, b->by->history ? ", for history " : "",
		            b->by->history ? history : "");
	for (unsigned i = 0; i < y->parts; i++) {
		const struct predictor_part *p = &y->part[i];
		textbuf_add(l, p->says == PART_NUMBER && !p->chosen ? "%s%s %+d" : "%s%s %d",
		            i ? "; " : "", p->noun, p->value);
		if (p->chosen)
			textbuf_add(l, ", %s", p->chosen);
		else if (p->says != PART_NUMBER)
			textbuf_add(l, ", %s",
			            inst_history_text_direction_name(p->says == PART_TAKEN));
		if (p->by_history)
			textbuf_add(l, ", for history %s", history);
	}
}

static void say_believed(struct textbuf *l, const struct bpred *b,
                         const struct inst_history_prediction *y)
{
	switch (y->by) {
	case BELIEVED_PREDICTOR:
		say_parts(l, b, y);
		return;
	case BELIEVED_FORESEEN:
		textbuf_add(l, "by perfect prediction");
		return;
	case BELIEVED_GUESS:
		textbuf_add(
			l, "a guess: an instruction before it is decided only at commit or decode");
		return;
	case BELIEVED_RETURN_STACK:
		textbuf_add(l, "the return stack has it");
		return;
	case BELIEVED_TARGETS:
		textbuf_add(l, "%s",
		            y->target_known ? "the branch target buffer has it"
		                            : "the branch target buffer has no target");
		return;
	}
}

/* Instructions that have been fetched, and not decoded yet: most machines have a queue for them. */
static const char *inst_history_text_fetched_place(const struct session *s)
{
	return machine_pipe(s->machine)->fetchq_limit > 1 ? "in the fetch queue" : "in fetch";
}

static void tell_prediction(struct textbuf *l, const struct session *s, const struct story *y)
{
	const struct inst_history_prediction *k = &y->prediction;
	const bool branch = (y->uop.op_flags & OPF_BRANCH) != 0;
	textbuf_add(l, "predicted: ");
	if (branch)
		textbuf_add(l, "%s, ", inst_history_text_direction_name(k->taken));
	textbuf_add(l, "%s",
	            !k->taken || k->target_known ? "to "
	            : branch                     ? "but fetch went straight on, to "
	                                         : "nothing; fetch went straight on, to ");
	inst_history_text_append_address(l, s, k->next);
	textbuf_add(l, " (cycle %s): ", group_digits(k->cycle, (char[32]){0}));
	say_believed(l, &machine_pipe(s->machine)->bpred, k);
	if (branch && k->taken && !k->target_known)
		textbuf_add(l, "; the branch target buffer has no target");
}

static void tell_outcome(struct textbuf *l, const struct session *s, const struct story *y)
{
	const struct uop *u = &y->uop;
	textbuf_add(l, "outcome: ");
	if (u->op_flags & OPF_BRANCH)
		textbuf_add(l, "%s, ", inst_history_text_direction_name(u->exec.taken));
	textbuf_add(l, "to ");
	inst_history_text_append_address(l, s, u->exec.next_pc);
	textbuf_add(l, " (cycle %s): %s", group_digits(y->resolved, (char[32]){0}),
	            u->flags & UF_MISPREDICT ? "mispredicted" : "as predicted");
}

static void tell_correction(struct textbuf *l, const struct session *s, const struct story *y)
{
	textbuf_add(l, "decode: sent fetch to ");
	inst_history_text_append_address(l, s, y->right);
	textbuf_add(l, " instead (cycle %s); it dropped %" PRIu64 " instruction%s %s",
	            group_digits(y->corrected, (char[32]){0}), y->dropped,
	            y->dropped == 1 ? "" : "s", inst_history_text_fetched_place(s));
}

static void tell_access(struct textbuf *l, const struct session *s, const struct story *y)
{
	const struct uop *u = &y->uop;
	textbuf_add(l, "data: ");
	if (y->store.seq) {
		textbuf_add(l, "forwarded from ");
		inst_history_text_append_uop(l, s, &y->store);
	} else {
		static const char *const from[LEVEL_COUNT] = {
			[LEVEL_NONE] = "",
			[LEVEL_FORWARD] = "forwarded",
			[LEVEL_BUFFER] = "from the write buffer",
			[LEVEL_L1] = "L1D hit",
			[LEVEL_L2] = "L1D miss, L2 hit",
			[LEVEL_MEMORY] = "L2 miss, from memory"};
		textbuf_add(l, "%s%s", u->flags & UF_TLB_MISS ? "TLB miss, then " : "",
		            from[u->mem.level]);
	}
	textbuf_add(l, ": requested in cycle %s, there after %" PRIu64,
	            group_digits(y->accessed, (char[32]){0}), y->latency);
}

static void tell_cost(struct textbuf *l, const struct session *s, const struct story *y)
{
	/* A textbook's stage is decode. */
	const char *entry = machine_pipe(s->machine)->unordered ? "decode" : "dispatch";
	textbuf_add(l, "cost: %" PRIu64 " instruction%s squashed", y->squashed,
	            y->squashed == 1 ? "" : "s");
	if (y->did == CAUSE_REPLAY || y->did == CAUSE_ORDER)
		textbuf_add(l, ", the load included");
	if (y->unfetched)
		textbuf_add(l, ", and %" PRIu64 " %s", y->unfetched,
		            inst_history_text_fetched_place(s));
	textbuf_add(l, " (cycle %s); ", group_digits(y->squashed_at, (char[32]){0}));
	if (y->goes_on != NO_CYCLE)
		textbuf_add(l, "%s went on %" PRIu64 " cycle%s later", entry,
		            y->goes_on - y->squashed_at,
		            y->goes_on - y->squashed_at == 1 ? "" : "s");
	else
		textbuf_add(l, "%s %s", entry,
		            y->left && y->uop.state == UOP_SQUASHED
		                    ? "had not resumed when it was squashed itself"
		                    : "has not gone on yet");
}

static void tell_culprit(struct textbuf *l, const struct session *s, const struct story *y)
{
	static const char *const why[] = {
		[CAUSE_MISPREDICTION] = ", which was mispredicted",
		[CAUSE_REPLAY] = ", a load that was replayed",
		[CAUSE_ORDER] = ", a load that passed an older store to the same bytes",
		[CAUSE_DECODE] = ", for which decode redirected fetch",
		[CAUSE_FETCHED_AGAIN] = ", after which all is fetched again",
		[CAUSE_INTERRUPT] = "an interrupt, for firmware",
		[CAUSE_VSAMPLE] = "the value sampler's interrupt",
		[CAUSE_HAND] = "a change by hand",
	};
	textbuf_add(l, "squashed by: ");
	if (y->culprit.seq)
		inst_history_text_append_uop(l, s, &y->culprit);
	textbuf_add(l, "%s", why[y->by]);
}

void inst_history_tell(const struct session *s, const struct story *y,
                void (*put)(void *ctx, const char *line), void *ctx)
{
	const bool trapped = y->culprit.seq == y->uop.seq; /* `why` has already printed that */
	const struct {
		bool there;
		void (*tell)(struct textbuf *l, const struct session *s, const struct story *y);
	} chapters[] = {
		{y->prediction.there, tell_prediction},
		{y->corrected != NO_CYCLE, tell_correction},
		{y->resolved != NO_CYCLE, tell_outcome},
		{y->accessed != NO_CYCLE, tell_access},
		{y->did != CAUSE_NONE, tell_cost},
		{y->by != CAUSE_NONE && !trapped, tell_culprit},
	};
	for (unsigned i = 0; i < sizeof chapters / sizeof *chapters; i++) {
		char text[1024] = "";
		struct textbuf l = {text, sizeof text, 0};
		if (!chapters[i].there)
			continue;
		chapters[i].tell(&l, s, y);
		put(ctx, text);
	}
}
