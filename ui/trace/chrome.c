/* Trace Event JSON, for ui.perfetto.dev and chrome://tracing. One cycle is one microsecond there.
 * An instruction is a slice in its own lane, with its stages inside; arrows lead from results to
 * waiting instructions; counters show the fill of the queues. */
#include "ui/trace/trace_priv.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "ui/render/render_json.h"

static_assert(LABEL_BYTES_MAX + 4096 <= OUT_ROOM,
              "an instruction, its stages and its arrows are one record");

static void chrome_write_header(struct trace *t, uint64_t cycle)
{
	char *name = NULL;
	size_t n = 0;
	FILE *f = alloc_stream(&name, &n);
	(void)cycle;
	out_end(&t->out, PUT(out_room(&t->out), "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n"
	                                        "{\"ph\": \"M\", \"pid\": 1, \"name\": "
	                                        "\"process_name\", \"args\": {\"name\": "));
	if (f)
		render_json_text(f, program_path(t->s->program));
	if (f && fclose(f) == 0)
		out_text(&t->out, name, n);
	else
		t->no_memory = true;
	free(name);
	out_end(&t->out, PUT(out_room(&t->out), "}}"));
}

static void chrome_write_queue_counters(struct trace *t, const struct machine *m, uint64_t next)
{
	const struct pipe_state *st = machine_pipe(m)->st;
	uint32_t now[3] = {st->rob_count, st->lsq_count, st->fetchq_count};
	if (next != machine_cycle(m) - 1 ||
	    (now[0] == t->counts[0] && now[1] == t->counts[1] && now[2] == t->counts[2]))
		return;
	memcpy(t->counts, now, sizeof now);
	char *at = PUT(out_room(&t->out),
	               ",\n{\"ph\": \"C\", \"pid\": 1, \"name\": \"entries\", \"ts\": ");
	at = out_append_near(&t->cycles, at, next);
	at = out_append_number(PUT(at, ", \"args\": {\"rob\": "), now[0]);
	at = out_append_number(PUT(at, ", \"lsq\": "), now[1]);
	at = out_append_number(PUT(at, ", \"fetchq\": "), now[2]);
	out_end(&t->out, PUT(at, "}}"));
}

static void chrome_ignore_fetch(struct trace *t, const struct traced *x, const struct uop *u)
{
	(void)t;
	(void)x;
	(void)u;
}

static void chrome_ignore_stage(struct trace *t, const struct traced *x, enum trace_stage next)
{
	(void)t;
	(void)x;
	(void)next;
}

/* The common beginning of the slices of an instruction's stages. */
struct slice_head {
	char text[64];
	size_t n;
};

static struct slice_head slice_head(const struct traced *x)
{
	struct slice_head h;
	char *at = out_append_number(PUT(h.text, ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": "),
	                             x->lane + 1u);
	h.n = (size_t)(PUT(at, ", \"name\": \"") - h.text);
	return h;
}

/* Writes the slice of a stage, unless the stage took no time or was not reached. name: a literal.
 */
#define SLICE(t, at, h, name, from, to)                                                            \
	put_slice((t), (at), (h), "" name, sizeof(name) - 1, (from), (to))

static inline char *put_slice(struct trace *t, char *at, const struct slice_head *h,
                              const char *name, size_t n, uint64_t from, uint64_t to)
{
	if (from == NO_CYCLE || to <= from)
		return at;
	memcpy(at, h->text, sizeof h->text); /* all of it: a constant size is faster */
	at = out_append_text(at + h->n, name, n);
	at = out_append_near(&t->cycles, PUT(at, "\", \"ts\": "), from);
	at = out_append_number(PUT(at, ", \"dur\": "), to - from);
	return PUT(at, "}");
}

static uint64_t chrome_min_cycle(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static char *put_stages(struct trace *t, char *at, const struct traced *x, const struct uop *u,
                        uint64_t end)
{
	uint64_t done = u->when.done == NO_CYCLE ? end : chrome_min_cycle(u->when.done, end);
	uint64_t mem = chrome_min_cycle(u->when.mem, done),
		 issue = chrome_min_cycle(u->when.issue, end);
	const struct slice_head h = slice_head(x);
	at = SLICE(t, at, &h, "fetch", u->when.fetch, chrome_min_cycle(u->when.dispatch, end));
	if (u->when.dispatch < end)
		at = SLICE(t, at, &h, "wait", u->when.dispatch, chrome_min_cycle(issue, end));
	if (u->when.issue < end) {
		at = SLICE(t, at, &h, "execute", u->when.issue, mem);
		at = SLICE(t, at, &h, "memory", mem, done);
		at = SLICE(t, at, &h, "wait for commit", done, end);
	}
	return at;
}

static char *put_arrow_end(struct trace *t, char *at, uint16_t lane, uint64_t id, uint64_t cycle)
{
	at = out_append_number(at, lane + 1u);
	at = out_append_near(&t->counted, PUT(at, ", \"id\": "), id);
	at = out_append_near(&t->cycles,
	                     PUT(at, ", \"cat\": \"operand\", \"name\": \"operand\", \"ts\": "),
	                     cycle);
	return PUT(at, "}");
}

/* Puts arrows from the producers of operands that were waited for. */
static char *put_arrows(char *at, struct trace *t, const struct traced *x, const struct uop *u)
{
	for (unsigned i = 0; i < 3 && u->when.issue != NO_CYCLE; i++) {
		const struct traced *from = flight_known(&t->flight, x->source[i]);
		if (!from || from->completed <= x->dispatched)
			continue;
		/* A store can issue before its data is available. */
		uint64_t id = x->id * 4 + i, taken = u->when.issue > from->done_cycle
		                                             ? u->when.issue
		                                             : from->done_cycle;
		at = put_arrow_end(t, PUT(at, ",\n{\"ph\": \"s\", \"pid\": 1, \"tid\": "),
		                   from->lane, id, from->done_cycle);
		at = put_arrow_end(
			t, PUT(at, ",\n{\"ph\": \"f\", \"bp\": \"e\", \"pid\": 1, \"tid\": "),
			x->lane, id, taken);
	}
	return at;
}

static void chrome_write_inst_slices(struct trace *t, const struct traced *x, const struct uop *u,
                                     bool squashed, uint64_t cycle)
{
	uint64_t end = squashed ? u->when.end : cycle;
	if (end <= u->when.fetch)
		end = u->when.fetch + 1;
	char *at = out_append_number(
		PUT(out_room(&t->out), ",\n{\"ph\": \"X\", \"pid\": 1, \"tid\": "), x->lane + 1u);
	at = squashed ? PUT(at, ", \"cat\": \"squashed\", \"name\": ")
	              : PUT(at, ", \"cat\": \"committed\", \"name\": ");
	at = labels_put(&t->labels, u, at);
	at = out_append_near(&t->cycles, PUT(at, ", \"ts\": "), u->when.fetch);
	at = out_append_number(PUT(at, ", \"dur\": "), end - u->when.fetch);
	at = out_append_near(&t->seqs, PUT(at, ", \"args\": {\"seq\": "), u->seq);
	at = PUT(put_hex(PUT(at, ", \"pc\": \"0x"), u->pc), "\"");
	if (u->flags & UF_ADDR_KNOWN)
		at = PUT(put_hex(PUT(at, ", \"address\": \"0x"), u->exec.addr), "\"");
	at = squashed ? PUT(at, ", \"squashed\": true}}") : PUT(at, ", \"squashed\": false}}");
	out_end(&t->out, put_arrows(put_stages(t, at, x, u, end), t, x, u));
}

static void chrome_write_footer(struct trace *t)
{
	out_end(&t->out, PUT(out_room(&t->out), "\n]}\n"));
}

const struct trace_writer trace_chrome = {true,
                                          true,
                                          chrome_write_header,
                                          chrome_write_queue_counters,
                                          chrome_ignore_fetch,
                                          chrome_ignore_stage,
                                          chrome_write_inst_slices,
                                          chrome_write_footer};
