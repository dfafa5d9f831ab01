/* A function's flow graph read from its code by a few rules, for tests of cells: a block begins at
 * the function's entry, at targets of branches and jumps, and after each of these that is not a
 * call. Addresses are those before instrumentation. */
#ifndef CYCLOPS_TESTS_UNIT_FLOW_MODEL_H
#define CYCLOPS_TESTS_UNIT_FLOW_MODEL_H

#include "tests/unit/cells/instrumented.h"

enum { FLOW_BLOCKS = 64, FLOW_INSTS = 512, FLOW_OUT = 0xffff };

struct flow_inst {
	uint64_t at, now;
	struct inst in;
	unsigned flags, block;
};

struct flow_model {
	const struct session *s;
	const struct symbol *symbol;
	struct flow_inst inst[FLOW_INSTS];
	unsigned insts;
	struct {
		unsigned first, last;  /* instructions */
		unsigned to, next;     /* blocks; FLOW_OUT: none */
		bool to_back, next_back; /* the edge lies on the path to the present block */
	} block[FLOW_BLOCKS];
	unsigned blocks;
};

static inline bool flow_model_is_call(const struct flow_inst *i)
{
	return (i->flags & OPF_JUMP) && (i->in.rd == 1 || i->in.rd == 5);
}

static inline bool flow_model_is_return(const struct flow_inst *i)
{
	return (i->flags & OPF_JUMP) && (i->flags & OPF_INDIRECT) &&
	       (i->in.rs1 == 1 || i->in.rs1 == 5) && !flow_model_is_call(i);
}

static inline bool flow_model_ends_block(const struct flow_inst *i)
{
	return (i->flags & (OPF_BRANCH | OPF_JUMP)) && !flow_model_is_call(i);
}

static inline unsigned flow_block_of(const struct flow_model *m, uint64_t was)
{
	for (unsigned i = 0; i < m->insts; i++)
		if (m->inst[i].at == was)
			return m->inst[i].block;
	return FLOW_OUT;
}

/* Whether a block begins there. */
static inline bool flow_begins(const struct flow_model *m, uint64_t was)
{
	const unsigned k = flow_block_of(m, was);
	return k != FLOW_OUT && m->inst[m->block[k].first].at == was;
}

static inline uint64_t flow_target(const struct flow_inst *i)
{
	return i->at + (uint64_t)(int64_t)i->in.imm;
}

/* Visits depth first, the taken edge before the fall-through. An edge to a block whose visit has
 * not ended is a back edge. */
static inline void flow_visit(struct flow_model *m, unsigned k, uint8_t *state)
{
	state[k] = 1;
	for (unsigned way = 0; way < 2; way++) {
		const unsigned to = way ? m->block[k].next : m->block[k].to;
		if (to == FLOW_OUT)
			continue;
		*(way ? &m->block[k].next_back : &m->block[k].to_back) = state[to] == 1;
		if (!state[to])
			flow_visit(m, to, state);
	}
	state[k] = 2;
}

/* Reads the flow graph of function `name`. g: the present places of its instructions; NULL:
 * unmoved. */
static inline void flow_read(struct flow_model *m, const struct session *s, const struct guest *g,
                             const char *name)
{
	uint8_t begins[FLOW_INSTS] = {1}, state[FLOW_BLOCKS] = {0};
	*m = (struct flow_model){.s = s, .symbol = program_symbol_by_name(s->program, name)};
	assert_non_null(m->symbol);
	uint64_t end = m->symbol->addr + m->symbol->size, at = m->symbol->addr;
	if (g) {
		uint64_t first = 0, last = 0;
		for (uint64_t k = 0; k < g->map.count; k++) {
			const uint64_t now = g->map.text + g->map.pairs[2 * k],
				       was = g->map.pairs[2 * k + 1];
			first = !first && now >= at ? was : first;
			last = now < end ? was : last;
		}
		at = first;
		end = last + 1;
	}
	while (at < end) {
		struct flow_inst *i = &m->inst[m->insts++];
		uint32_t raw = 0;
		assert_true(m->insts < FLOW_INSTS && machine_peek(s->machine, at, &raw, 4));
		inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &i->in);
		i->at = at;
		i->now = g ? now_of(g, at) : at;
		i->flags = op_info[i->in.op].flags;
		at += i->in.len;
	}
	for (unsigned i = 0; i < m->insts; i++) {
		const struct flow_inst *in = &m->inst[i];
		for (unsigned k = 0;
		     flow_model_ends_block(in) && !(in->flags & OPF_INDIRECT) && k < m->insts; k++)
			begins[k] |= m->inst[k].at == flow_target(in);
		if (flow_model_ends_block(in))
			begins[i + 1] = 1;
	}
	for (unsigned i = 0; i < m->insts; i++) {
		if (begins[i])
			m->block[m->blocks++].first = i;
		assert_true(m->blocks < FLOW_BLOCKS);
		m->block[m->blocks - 1].last = i;
		m->inst[i].block = m->blocks - 1;
	}
	for (unsigned k = 0; k < m->blocks; k++) {
		const struct flow_inst *last = &m->inst[m->block[k].last];
		const bool goes = flow_model_ends_block(last),
			   direct = goes && !(last->flags & OPF_INDIRECT);
		m->block[k].to = direct ? flow_block_of(m, flow_target(last)) : FLOW_OUT;
		m->block[k].next = (!goes || (last->flags & OPF_BRANCH)) && k + 1 < m->blocks
		                           ? k + 1
		                           : FLOW_OUT;
	}
	flow_visit(m, 0, state);
}

/* ---- as people read it ---- */
static inline const char *name_at(const struct session *s, uint64_t now)
{
	size_t n;
	const struct symbol *all = program_symbols(s->program, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i].code && now >= all[i].addr && now < all[i].addr + all[i].size)
			return all[i].name;
	return "?";
}

static inline uint64_t flow_now(const struct guest *g, uint64_t was)
{
	return g ? now_of(g, was) : was;
}

/* A block's summary: "7 insts, calls leaf, through a register". */
static inline const char *flow_about(const struct flow_model *m, const struct guest *g, unsigned k)
{
	char *out = some_text();
	const unsigned n = m->block[k].last - m->block[k].first + 1;
	bool any = false;
	snprintf(out, 256, "%u inst%s", n, n == 1 ? "" : "s");
	for (unsigned i = m->block[k].first; i <= m->block[k].last; i++)
		if (flow_model_is_call(&m->inst[i])) {
			strcat(out, any ? ", " : ", calls ");
			strcat(out, m->inst[i].flags & OPF_INDIRECT
			                    ? "through a register"
			                    : name_at(m->s, flow_now(g, flow_target(&m->inst[i]))));
			any = true;
		}
	return out;
}

/* The successor of a block that does not fall through: "2", "↺ 1"; "" for a return. */
static inline const char *flow_leads(const struct flow_model *m, unsigned k)
{
	char *out = some_text();
	const struct flow_inst *last = &m->inst[m->block[k].last];
	*out = '\0';
	if (m->block[k].to != FLOW_OUT)
		snprintf(out, 256, "%s%u", m->block[k].to_back ? "↺ " : "", m->block[k].to);
	else if (flow_model_ends_block(last) && !flow_model_is_return(last))
		fail_msg("the jump at 0x%llx leaves the function: this test has no words for that",
		         (ull)last->at);
	return out;
}

/* One instruction; how a block ends by the numbers of others. */
static inline const char *flow_code(const struct flow_model *m, const struct guest *g, unsigned i)
{
	char out[256];
	const struct flow_inst *in = &m->inst[i];
	inst_disasm(&in->in, in->at, out, 128);
	if (flow_model_ends_block(in)) {
		const char *to = flow_leads(m, in->block);
		char *cut = strrchr(out, ',') ? strrchr(out, ',') : strchr(out, ' ');
		if (cut && !(in->flags & OPF_INDIRECT))
			*cut = '\0';
		if (*to)
			sprintf(out + strlen(out), " → %s", to);
	} else if (flow_model_is_call(in) && !(in->flags & OPF_INDIRECT)) {
		char *hex = strstr(out, "0x");
		assert_non_null(hex);
		snprintf(hex, 128 - (size_t)(hex - out), "%s",
		         addr_of(m->s, flow_now(g, flow_target(in))));
	}
	return strcpy(some_text(), out);
}

static inline const char *flow_model_format_line(const struct session *s, uint64_t now)
{
	char *out = some_text();
	struct source_line at;
	*out = '\0';
	if (program_line_at(s->program, now, &at) && at.line)
		snprintf(out, 256, "%s:%u",
		         strrchr(at.file, '/') ? strrchr(at.file, '/') + 1 : at.file, at.line);
	return out;
}

/* "contexts.c:12 14": the lines of blocks, in their order, each once; eight at most. */
static inline const char *flow_lines(const struct flow_model *m, const unsigned *blocks, unsigned n)
{
	char out[256] = "";
	unsigned seen[64], count = 0;
	for (unsigned b = 0; b < n; b++)
		for (unsigned i = m->block[blocks[b]].first; i <= m->block[blocks[b]].last; i++) {
			struct source_line at;
			unsigned k = 0;
			if (!program_line_at(m->s->program, m->inst[i].now, &at) || !at.line)
				continue;
			while (k < count && seen[k] != at.line)
				k++;
			if (k < count)
				continue;
			assert_true(count < 8);
			seen[count++] = at.line;
			if (count == 1)
				snprintf(out, sizeof out, "%s",
				         flow_model_format_line(m->s, m->inst[i].now));
			else
				sprintf(out + strlen(out), " %u", at.line);
		}
	return strcpy(some_text(), out);
}

#endif
