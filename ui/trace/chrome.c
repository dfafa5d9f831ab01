/* Trace Event JSON, for ui.perfetto.dev and chrome://tracing. One cycle is one microsecond there. An instruction is a
 * slice in a lane of its own with its stages inside; arrows lead from results to those who wait for them; counters
 * show how full the queues are. */
#include "ui/trace/trace_priv.h"

#include <inttypes.h>

#include "ui/render_json.h"

static void item(struct trace *t)
{
	fputs(t->comma ? ",\n" : "\n", t->f);
	t->comma = true;
}

static void begin(struct trace *t, uint64_t cycle)
{
	(void)cycle;
	fputs("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [", t->f);
	item(t);
	fputs("{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": ", t->f);
	render_json_text(t->f, program_path(t->s->program));
	fputs("}}", t->f);
}

static void advance(struct trace *t, const struct machine *m, uint64_t next)
{
	const struct pipe_state *st = machine_pipe(m)->st;
	uint32_t now[3] = {st->rob_count, st->lsq_count, st->fetchq_count};
	if (next != machine_cycle(m) - 1 ||
	    (now[0] == t->counts[0] && now[1] == t->counts[1] && now[2] == t->counts[2]))
		return;
	for (int i = 0; i < 3; i++)
		t->counts[i] = now[i];
	item(t);
	fprintf(t->f,
	        "{\"ph\": \"C\", \"pid\": 1, \"name\": \"entries\", \"ts\": %" PRIu64
	        ", \"args\": {\"rob\": %u, \"lsq\": %u, \"fetchq\": %u}}",
	        next, now[0], now[1], now[2]);
}

static void fetched(struct trace *t, struct traced *x, const struct uop *u)
{
	(void)t;
	(void)x;
	(void)u;
}

static void stage(struct trace *t, struct traced *x, const struct uop *u, const char *name, uint64_t cycle)
{
	(void)t;
	(void)x;
	(void)u;
	(void)name;
	(void)cycle;
}

static void slice(struct trace *t, const struct traced *x, const char *name, uint64_t from, uint64_t to)
{
	if (from == NO_CYCLE || to <= from)
		return;
	item(t);
	fprintf(t->f, "{\"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"name\": \"%s\", \"ts\": %" PRIu64 ", \"dur\": %" PRIu64 "}",
	        x->lane + 1, name, from, to - from);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void stages(struct trace *t, const struct traced *x, const struct uop *u, uint64_t end)
{
	uint64_t done = u->when.done == NO_CYCLE ? end : least(u->when.done, end);
	uint64_t mem = least(u->when.mem, done), issue = least(u->when.issue, end);
	slice(t, x, "fetch", u->when.fetch, least(u->when.dispatch, end));
	if (u->when.dispatch < end)
		slice(t, x, "wait", u->when.dispatch, least(issue, end));
	if (u->when.issue < end) {
		slice(t, x, "execute", u->when.issue, mem);
		slice(t, x, "memory", mem, done);
		slice(t, x, "wait for commit", done, end);
	}
}

static void arrows(struct trace *t, const struct traced *x, const struct uop *u)
{
	for (int i = 0; i < 3; i++) {
		if (!x->src_seq[i] || x->src_cycle[i] == NO_CYCLE || u->when.issue == NO_CYCLE)
			continue;
		uint64_t id = x->id * 4 + (uint64_t)i;
		item(t);
		fprintf(t->f,
		        "{\"ph\": \"s\", \"pid\": 1, \"tid\": %u, \"id\": %" PRIu64
		        ", \"cat\": \"operand\", \"name\": \"operand\", \"ts\": %" PRIu64 "},\n",
		        x->src_lane[i] + 1, id, x->src_cycle[i]);
		fprintf(t->f,
		        "{\"ph\": \"f\", \"bp\": \"e\", \"pid\": 1, \"tid\": %u, \"id\": %" PRIu64
		        ", \"cat\": \"operand\", \"name\": \"operand\", \"ts\": %" PRIu64 "}",
		        x->lane + 1, id, u->when.issue);
	}
}

static void ended(struct trace *t, struct traced *x, const struct uop *u, bool squashed, uint64_t cycle)
{
	char label[320];
	if (!u)
		return;
	uint64_t end = squashed ? u->when.end : cycle;
	if (end <= u->when.fetch)
		end = u->when.fetch + 1;
	item(t);
	fprintf(t->f, "{\"ph\": \"X\", \"pid\": 1, \"tid\": %u, \"cat\": \"%s\", \"name\": ", x->lane + 1,
	        squashed ? "squashed" : "committed");
	render_json_text(t->f, trace_label(t, u, label, sizeof label));
	fprintf(t->f,
	        ", \"ts\": %" PRIu64 ", \"dur\": %" PRIu64 ", \"args\": {\"seq\": %" PRIu64 ", \"pc\": \"0x%" PRIx64 "\"",
	        u->when.fetch, end - u->when.fetch, u->seq, u->pc);
	if (u->flags & UF_ADDR_KNOWN)
		fprintf(t->f, ", \"address\": \"0x%" PRIx64 "\"", u->exec.addr);
	fprintf(t->f, ", \"squashed\": %s}}", squashed ? "true" : "false");
	stages(t, x, u, end);
	arrows(t, x, u);
}

static void finish(struct trace *t)
{
	fputs("\n]}\n", t->f);
}

const struct trace_writer trace_chrome = {begin, advance, fetched, stage, ended, finish};
