/* Kanata 0004, the format of the Konata pipeline viewer: a line per thing that happens, in the order of cycles.
 *
 *   C= / C   the first cycle, and cycles gone by
 *   I, L     an instruction and its texts
 *   S, E     a stage begins, ends
 *   W        an instruction gets a result of another
 *   R        it retires (0) or is flushed (1) */
#include "ui/trace/trace_priv.h"

#include <inttypes.h>

static void begin(struct trace *t, uint64_t cycle)
{
	fprintf(t->f, "Kanata\t0004\nC=\t%" PRIu64 "\n", cycle);
}

static void advance(struct trace *t, const struct machine *m, uint64_t next)
{
	(void)m;
	fprintf(t->f, "C\t%" PRIu64 "\n", next - t->cycle);
}

static void fetched(struct trace *t, struct traced *x, const struct uop *u)
{
	char label[320];
	fprintf(t->f, "I\t%" PRIu64 "\t%" PRIu64 "\t0\n", x->id, x->seq);
	fprintf(t->f, "L\t%" PRIu64 "\t0\t%s\n", x->id, trace_label(t, u, label, sizeof label));
	fprintf(t->f, "L\t%" PRIu64 "\t1\t#%" PRIu64 " at 0x%" PRIx64 "\n", x->id, x->seq, u->pc);
}

static void stage(struct trace *t, struct traced *x, const struct uop *u, const char *name, uint64_t cycle)
{
	(void)u;
	(void)cycle;
	if (x->stage)
		fprintf(t->f, "E\t%" PRIu64 "\t0\t%s\n", x->id, x->stage);
	fprintf(t->f, "S\t%" PRIu64 "\t0\t%s\n", x->id, name);
	for (int i = 0; i < 3 && *name == 'D'; i++) {
		const struct traced *from = x->src_seq[i] ? trace_find(t, x->src_seq[i]) : NULL;
		if (from)
			fprintf(t->f, "W\t%" PRIu64 "\t%" PRIu64 "\t0\n", x->id, from->id);
	}
}

static void ended(struct trace *t, struct traced *x, const struct uop *u, bool squashed, uint64_t cycle)
{
	(void)u;
	(void)cycle;
	if (x->stage)
		fprintf(t->f, "E\t%" PRIu64 "\t0\t%s\n", x->id, x->stage);
	fprintf(t->f, "R\t%" PRIu64 "\t%" PRIu64 "\t%d\n", x->id, squashed ? 0 : t->retired - 1, squashed);
}

/* What committed in the last cycle still has to retire. */
static void finish(struct trace *t)
{
	bool advanced = false;
	for (size_t i = 0; i < t->live_count; i++) {
		if (!t->live[i].ends)
			continue;
		if (!advanced)
			fprintf(t->f, "C\t1\n");
		advanced = true;
		t->retired++;
		ended(t, &t->live[i], NULL, false, t->cycle);
	}
}

const struct trace_writer trace_konata = {begin, advance, fetched, stage, ended, finish};
