/* Kanata 0004, the format of the Konata pipeline viewer: a line per event, in the order of cycles.
 *
 *   C= / C   the first cycle, and cycles gone by
 *   I, L     an instruction and its texts
 *   S, E     a stage begins, ends
 *   W        an instruction gets a result of another
 *   R        it retires (0) or is flushed (1) */
#include "ui/trace/trace_priv.h"

static const char letter[] = {
	[TRACE_FETCH] = 'F', [TRACE_DISPATCH] = 'D',  [TRACE_ISSUE] = 'X',
	[TRACE_MEM] = 'M',   [TRACE_WRITEBACK] = 'W', [TRACE_COMMIT] = 'C',
};

static void konata_write_header(struct trace *t, uint64_t cycle)
{
	char *at = PUT(out_room(&t->out), "Kanata\t0004\nC=\t");
	out_end(&t->out, PUT(out_append_number(at, cycle), "\n"));
}

static void konata_write_cycles(struct trace *t, uint64_t cycles)
{
	char *at = PUT(out_room(&t->out), "C\t");
	out_end(&t->out, PUT(out_append_number(at, cycles), "\n"));
}

static void konata_advance_cycle(struct trace *t, const struct machine *m, uint64_t next)
{
	(void)m;
	konata_write_cycles(t, next - t->cycle);
}

static char *put_id(char *at, const struct traced *x)
{
	memcpy(at, x->id_text, OUT_NUMBER); /* all of it: a constant size is faster */
	return at + x->id_digits;
}

static void konata_write_fetch(struct trace *t, const struct traced *x, const struct uop *u)
{
	char *at = put_id(PUT(out_room(&t->out), "I\t"), x);
	at = out_append_near(&t->seqs, PUT(at, "\t"), x->seq);
	at = put_id(PUT(at, "\t0\nL\t"), x);
	at = labels_put(&t->labels, u, PUT(at, "\t0\t"));
	at = put_id(PUT(at, "\nL\t"), x);
	at = out_append_near(&t->seqs, PUT(at, "\t1\t#"), x->seq);
	at = put_hex(PUT(at, " at 0x"), u->pc);
	out_end(&t->out, PUT(at, "\n"));
}

/* "E\t12\t0\tX\n" */
static char *put_stage(char *at, char what, const struct traced *x, enum trace_stage stage)
{
	*at++ = what;
	at = put_id(PUT(at, "\t"), x);
	at = PUT(at, "\t0\t");
	*at++ = letter[stage];
	return PUT(at, "\n");
}

static void konata_write_stage_change(struct trace *t, const struct traced *x,
                                      enum trace_stage next)
{
	char *at = out_room(&t->out);
	if (x->stage != TRACE_NONE)
		at = put_stage(at, 'E', x, x->stage);
	at = put_stage(at, 'S', x, next);
	for (int i = 0; i < 3 && next == TRACE_DISPATCH; i++) {
		const struct traced *from = flight_known(&t->flight, x->source[i]);
		if (!from)
			continue;
		at = put_id(PUT(at, "W\t"), x);
		at = put_id(PUT(at, "\t"), from);
		at = PUT(at, "\t0\n");
	}
	out_end(&t->out, at);
}

static void konata_write_retire(struct trace *t, const struct traced *x, const struct uop *u,
                                bool squashed, uint64_t cycle)
{
	char *at = out_room(&t->out);
	(void)u;
	(void)cycle;
	if (x->stage != TRACE_NONE)
		at = put_stage(at, 'E', x, x->stage);
	at = put_id(PUT(at, "R\t"), x);
	at = PUT(at, "\t");
	at = squashed ? PUT(at, "0") : out_append_near(&t->counted, at, t->retired - 1);
	out_end(&t->out, squashed ? PUT(at, "\t1\n") : PUT(at, "\t0\n"));
}

/* Retires the instructions that committed in the last cycle. */
static void konata_retire_remaining(struct trace *t)
{
	if (t->ending_count)
		konata_write_cycles(t, 1);
	for (uint32_t i = 0; i < t->ending_count; i++) {
		t->retired++;
		konata_write_retire(t, flight_find(&t->flight, t->ending[i]), NULL, false,
		                    t->cycle);
	}
}

const struct trace_writer trace_konata = {false,
                                          false,
                                          konata_write_header,
                                          konata_advance_cycle,
                                          konata_write_fetch,
                                          konata_write_stage_change,
                                          konata_write_retire,
                                          konata_retire_remaining};
