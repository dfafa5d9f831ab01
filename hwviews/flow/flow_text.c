#include "hwviews/flow/flow_text.h"

#include <stdio.h>
#include <string.h>

#include "hwviews/program/code_lines.h"

enum { TO_MAX = 8, LINES_MAX = 8 };

/* Its present address. */
static uint64_t place_now(const struct flow_picture *p, uint64_t was)
{
	const uint64_t now = p->laid_out ? moved_code_to(&p->moved, was) : 0;
	return now ? now : was;
}

bool flow_goes_on(const struct flow_block *b)
{
	return !(inst_flags(&b->inst) & OPF_CONTROL) ||
	       ((inst_flags(&b->inst) & OPF_JUMP) && b->inst.rd != REG_SINK);
}

static const char *file_base_name(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash ? slash + 1 : file;
}

/* ---- lines ---- */
struct lines {
	const char *file;
	unsigned line[LINES_MAX], n;
	bool more;
};

static void flow_text_insert_line(struct lines *l, const struct source_line *at)
{
	if (!l->n)
		l->file = at->file;
	if (strcmp(at->file, l->file) != 0)
		return;
	for (unsigned i = 0; i < l->n; i++)
		if (l->line[i] == at->line)
			return;
	if (l->n == LINES_MAX)
		l->more = true;
	else
		l->line[l->n++] = at->line;
}

char *flow_lines_text(const struct session *s, const struct flow_picture *p, const uint32_t *blocks,
                      size_t count, char *buf, size_t n)
{
	struct lines l = {0};
	struct source_line at;
	struct code c;
	for (size_t i = 0; i < count && !l.more; i++) {
		const struct flow_block *b = &p->graph.blocks[blocks[i]];
		for (uint64_t pc = b->start; pc < b->end && code_at(s, pc, &c); pc += c.len)
			if (program_line_at(s->program, place_now(p, pc), &at) && at.line)
				flow_text_insert_line(&l, &at);
	}
	size_t used =
		(size_t)snprintf(buf, n, "%s%s", l.n ? file_base_name(l.file) : "", l.n ? ":" : "");
	for (unsigned i = 0; i < l.n && used < n; i++)
		used += (size_t)snprintf(buf + used, n - used, "%s%u", i ? " " : "", l.line[i]);
	if (l.more && used < n)
		snprintf(buf + used, n - used, "…");
	return buf;
}

/* ---- code ---- */
char *flow_about_text(const struct session *s, const struct flow_picture *p,
                      const struct flow_block *b, char *buf, size_t n)
{
	struct code c;
	unsigned calls = 0;
	size_t used = (size_t)snprintf(buf, n, "%u inst%s", b->insts, b->insts == 1 ? "" : "s");
	for (uint64_t pc = b->start; b->calls && pc < b->end && code_at(s, pc, &c) && used < n;
	     pc += c.len) {
		if (!(inst_flags(&c.inst) & OPF_JUMP) || c.inst.rd == REG_SINK)
			continue;
		const uint64_t to = place_now(p, pc + c.prefix + (uint64_t)(int64_t)c.inst.imm);
		const struct symbol *symbol = inst_flags(&c.inst) & OPF_INDIRECT
		                                      ? NULL : program_symbol_at(s->program, to);
		used += (size_t)snprintf(buf + used, n - used, "%s%s", calls++ ? ", " : ", calls ",
		                         symbol ? symbol->name : "through a register");
	}
	return buf;
}

char *flow_code_text(const struct session *s, const struct flow_picture *p, uint64_t was, char *buf,
                     size_t n)
{
	struct code c;
	buf[0] = '\0';
	if (!code_at(s, was, &c))
		return buf;
	if ((inst_flags(&c.inst) & OPF_CONTROL) && !(inst_flags(&c.inst) & OPF_INDIRECT)) {
		const uint64_t at = was + c.prefix;
		c.inst.imm = (int32_t)(place_now(p, at + (uint64_t)(int64_t)c.inst.imm) - at);
	}
	return code_text(s, &c, buf, n);
}

static void flow_text_format_target(const struct session *s, const struct flow_picture *p,
                                    const struct flow_edge *e, char *buf, size_t n)
{
	if (e->to != FLOW_NONE) {
		snprintf(buf, n, "%s%u", e->back ? "↺ " : "", e->to);
		return;
	}
	const struct symbol *symbol =
		e->kind == FLOW_UNKNOWN ? NULL
					: program_symbol_at(s->program, place_now(p, e->target));
	snprintf(buf, n, "%s", symbol ? symbol->name : e->kind == FLOW_UNKNOWN ? "?" : "out");
}

char *flow_targets_text(const struct session *s, const struct flow_picture *p,
                        const struct flow_block *b, char *buf, size_t n)
{
	unsigned count = 0;
	size_t used = 0;
	buf[0] = '\0';
	for (uint32_t i = 0; i < b->edges && !inst_pops_ras(&b->inst) && used < n; i++) {
		const struct flow_edge *e = &p->graph.edges[b->edge + i];
		/* If targets of a jump through a register were seen, its unknown ones are left
		 * out. */
		if (e->kind == FLOW_NEXT ||
		    (e->kind == FLOW_UNKNOWN && count && e->count.known && !e->count.n))
			continue;
		if (count == TO_MAX) {
			snprintf(buf + used, n - used, "…");
			break;
		}
		used += count++ ? (size_t)snprintf(buf + used, n - used, ", ") : 0;
		if (used < n)
			flow_text_format_target(s, p, e, buf + used, n - used);
		used = strlen(buf);
	}
	return buf;
}

char *flow_end_text(const struct session *s, const struct flow_picture *p,
                    const struct flow_block *b, char *buf, size_t n)
{
	char code[160], targets[128];
	struct code c;
	flow_targets_text(s, p, b, targets, sizeof targets);
	if (!code_at(s, b->last, &c)) {
		snprintf(buf, n, "→ %s", targets);
		return buf;
	}
	code_text(s, &c, code, sizeof code);
	/* Cut off the last operand, the address: the target's block number follows. */
	char *target = strrchr(code, ',');
	if (!target)
		target = strchr(code, ' ');
	if (target && !(inst_flags(&b->inst) & OPF_INDIRECT))
		*target = '\0';
	snprintf(buf, n, "%s%s%s", code, *targets ? " → " : "", targets);
	return buf;
}
