#include "ui/console/answer_inst_history.h"

#include <inttypes.h>

#include "hwviews/grid/field_text.h"
#include "ui/render/render_json.h"

static const char *const believed_name[] = {
	[BELIEVED_FORESEEN] = "perfect",
	[BELIEVED_GUESS] = "guess",
	[BELIEVED_RETURN_STACK] = "return stack",
	[BELIEVED_TARGETS] = "branch target buffer",
};

static const char *const cause_name[] = {
	[CAUSE_MISPREDICTION] = "misprediction",
	[CAUSE_REPLAY] = "replay",
	[CAUSE_ORDER] = "order",
	[CAUSE_DECODE] = "decode",
	[CAUSE_FETCHED_AGAIN] = "fetched again",
	[CAUSE_INTERRUPT] = "interrupt",
	[CAUSE_VSAMPLE] = "value sampler",
	[CAUSE_HAND] = "change by hand",
};

static const char *answer_inst_history_bool_text(bool yes)
{
	return yes ? "true" : "false";
}

static void answer_inst_history_write_cycle(FILE *f, const char *name, uint64_t cycle)
{
	if (cycle == NO_CYCLE)
		fprintf(f, "\"%s\": null", name);
	else
		fprintf(f, "\"%s\": %" PRIu64, name, cycle);
}

/* Writes an instruction, or null. */
static void answer_inst_history_write_uop(FILE *f, const char *name, const struct uop *u)
{
	if (!u->seq)
		fprintf(f, "\"%s\": null", name);
	else
		fprintf(f, "\"%s\": {\"seq\": %" PRIu64 ", \"pc\": \"0x%" PRIx64 "\"}", name,
		        u->seq, u->pc);
}

static void put_prediction(FILE *f, const struct story *y)
{
	const struct inst_history_prediction *k = &y->prediction;
	fprintf(f,
	        "{\"cycle\": %" PRIu64 ", \"taken\": %s, \"next\": \"0x%" PRIx64
	        "\", \"target_known\": %s, \"by\": \"%s\"",
	        k->cycle, answer_inst_history_bool_text(k->taken), k->next,
	        answer_inst_history_bool_text(k->target_known),
	        k->by == BELIEVED_PREDICTOR ? k->predictor : believed_name[k->by]);
	bool by_history = false;
	for (unsigned i = 0; i < k->parts; i++) {
		fprintf(f, ", \"%s\": %d", k->part[i].name, k->part[i].value);
		by_history |= k->part[i].by_history;
	}
	if (by_history)
		fprintf(f, ", \"history\": %u", k->history);
	fputc('}', f);
}

static void put_decode(FILE *f, const struct story *y)
{
	fprintf(f,
	        "{\"cycle\": %" PRIu64 ", \"next\": \"0x%" PRIx64 "\", \"dropped\": %" PRIu64 "}",
	        y->corrected, y->right, y->dropped);
}

static void put_outcome(FILE *f, const struct story *y)
{
	const struct uop *u = &y->uop;
	fprintf(f,
	        "{\"cycle\": %" PRIu64 ", \"taken\": %s, \"next\": \"0x%" PRIx64
	        "\", \"mispredicted\": %s}",
	        y->resolved,
	        answer_inst_history_bool_text(!(u->op_flags & OPF_BRANCH) || u->exec.taken),
	        u->exec.next_pc, answer_inst_history_bool_text(u->flags & UF_MISPREDICT));
}

static void answer_inst_history_write_access(FILE *f, const struct story *y)
{
	const struct uop *u = &y->uop;
	fprintf(f,
	        "{\"cycle\": %" PRIu64 ", \"latency\": %" PRIu64
	        ", \"level\": \"%s\", \"tlb_miss\": %s, ",
	        y->accessed, y->latency,
	        field_value(FIELD_LEVEL, y->store.seq ? LEVEL_FORWARD : u->mem.level).text,
	        answer_inst_history_bool_text(u->flags & UF_TLB_MISS));
	answer_inst_history_write_uop(f, "store", &y->store);
	fputc('}', f);
}

static void put_cost(FILE *f, const struct story *y)
{
	fprintf(f,
	        "{\"cause\": \"%s\", \"cycle\": %" PRIu64 ", \"squashed\": %" PRIu64
	        ", \"unfetched\": %" PRIu64 ", ",
	        cause_name[y->did], y->squashed_at, y->squashed, y->unfetched);
	answer_inst_history_write_cycle(f, "goes_on", y->goes_on);
	fputc('}', f);
}

static void put_culprit(FILE *f, const struct story *y)
{
	fprintf(f, "{\"cause\": \"%s\", ", cause_name[y->by]);
	answer_inst_history_write_uop(f, "instruction", &y->culprit);
	fputc('}', f);
}

void answer_inst_history(FILE *f, const struct story *y)
{
	const struct {
		const char *name;
		bool there;
		void (*put)(FILE *f, const struct story *y);
	} parts[] = {
		{"prediction", y->prediction.there, put_prediction},
		{"decode", y->corrected != NO_CYCLE, put_decode},
		{"outcome", y->resolved != NO_CYCLE, put_outcome},
		{"data", y->accessed != NO_CYCLE, answer_inst_history_write_access},
		{"cost", y->did != CAUSE_NONE, put_cost},
		{"squashed_by", y->by != CAUSE_NONE, put_culprit},
	};
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		fprintf(f, "%s\"%s\": ", i ? ", " : "{", parts[i].name);
		if (parts[i].there)
			parts[i].put(f, y);
		else
			fputs("null", f);
	}
	fputc('}', f);
}
