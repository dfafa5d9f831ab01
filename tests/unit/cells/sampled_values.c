/* A program's values by events, and constraints from its code. */
#include "tests/unit/cells/sampled_values.h"

#include "core/isa/op.h"
#include "core/prof/common/prof.h"
#include "core/prof/profileme/profileme.h"
#include "core/run/value_daemon.h"
#include "tests/unit/loader/cross.h"

static void sampled_values_append_sample(struct heard_values *h, uint64_t pc, unsigned kind,
                                         uint64_t value)
{
	assert_true(h->samples < SAMPLES);
	h->sample[h->samples].pc = pc;
	h->sample[h->samples].kind = kind;
	h->sample[h->samples++].value = value;
}

bool is_op(const struct inst *in, const char *part)
{
	return strstr(op_info[in->op].mnemonic, part) && !strchr(op_info[in->op].mnemonic, '.');
}

bool is_return(const struct inst *in)
{
	return in->op == OP_JALR && in->rd != 1 && in->rd != 5 && (in->rs1 == 1 || in->rs1 == 5);
}

void sampled_hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct heard_values *h = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	if (ev->id == EV_INTERPRET && ev->interpret.recorded) {
		if (u->inst.rd != REG_SINK)
			sampled_values_append_sample(h, u->pc, RESULTS, u->result);
		if (is_op(&u->inst, "div") || is_op(&u->inst, "rem") || is_op(&u->inst, "mul"))
			sampled_values_append_sample(
				h, u->pc, OPERANDS,
				u->inst.rs2 == u->inst.rd
					? h->over
					: h->reg[u->inst.rs2]); /* it commits before its event */
		if (u->inst.op == OP_JALR && !is_return(&u->inst))
			sampled_values_append_sample(h, u->pc, JUMPS, u->exec.next_pc);
		if (op_info[u->inst.op].flags & (OPF_LOAD | OPF_STORE))
			sampled_values_append_sample(h, u->pc, ADDRESSES, u->exec.addr);
	}
	if (ev->id == EV_COMMIT && u->inst.rd != REG_SINK) {
		h->over = h->reg[u->inst.rd];
		h->reg[u->inst.rd] = u->result;
	}
}

static int sampled_values_compare_by_times(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;
	return x->times != y->times  ? x->times > y->times ? -1 : 1
	       : x->value < y->value ? -1
	                             : x->value > y->value;
}

static int more_seen(const void *a, const void *b)
{
	const struct list *x = a, *y = b;
	if (x->seen != y->seen)
		return x->seen > y->seen ? -1 : 1;
	return x->pc != y->pc ? x->pc < y->pc ? -1 : 1 : x->kind < y->kind ? -1 : x->kind > y->kind;
}

static void count_list(const struct heard_values *h, struct list *l)
{
	static struct counted all[DISTINCT];
	for (unsigned i = 0; i < h->samples; i++) {
		unsigned k = 0;
		if (h->sample[i].pc != l->pc || h->sample[i].kind != l->kind)
			continue;
		while (k < l->distinct && all[k].value != h->sample[i].value)
			k++;
		assert_true(k < DISTINCT);
		if (k == l->distinct)
			all[l->distinct++] = (struct counted){.value = h->sample[i].value};
		all[k].times++;
		l->seen++;
	}
	qsort(all, l->distinct, sizeof *all, sampled_values_compare_by_times);
	memcpy(l->top, all, sizeof l->top);
}

void sampled_count(const struct heard_values *h, struct sampled *d)
{
	const struct prof *prof = machine_pipe(d->s->machine)->prof;
	d->lists = 0;
	d->delay = d->records = 0;
	for (unsigned i = 0; i < h->samples; i++) {
		unsigned k = 0;
		while (k < d->lists &&
		       (d->list[k].pc != h->sample[i].pc || d->list[k].kind != h->sample[i].kind))
			k++;
		assert_true(k < LISTS);
		if (k == d->lists) {
			d->list[k] =
				(struct list){.pc = h->sample[i].pc, .kind = h->sample[i].kind};
			count_list(h, &d->list[d->lists++]);
		}
	}
	qsort(d->list, d->lists, sizeof *d->list, more_seen);
	for (uint32_t i = 0; i < profileme_entries(prof); i++) {
		uint64_t pc;
		const struct profileme_counts *c = profileme_entry(prof, i, &pc);
		d->delay += c->delay;
		for (unsigned f = 0; f < PROFILEME_FATE_COUNT; f++)
			d->records += c->fates[f];
	}
}

/* ---- code ---- */
uint64_t inst_at(const struct session *s, uint64_t pc, struct inst *in)
{
	uint32_t raw = 0;
	assert_true(machine_peek(s->machine, pc, &raw, 4));
	inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, in);
	return pc + in->len;
}

const struct symbol *function_of(const struct session *s, uint64_t pc)
{
	size_t n;
	const struct symbol *all = program_symbols(s->program, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i].code && pc >= all[i].addr && pc < all[i].addr + all[i].size)
			return &all[i];
	fail_msg("0x%llx is in no function", (ull)pc);
	return NULL;
}

bool is_call(const struct inst *in)
{
	return (op_info[in->op].flags & OPF_JUMP) && (in->rd == 1 || in->rd == 5);
}

/* Successors of an instruction in its function; those of a call only if `calls`. */
static unsigned sampled_values_successors(const struct session *s, uint64_t pc, bool calls,
                                          uint64_t to[2])
{
	struct inst in;
	unsigned n = 0;
	const uint64_t behind = inst_at(s, pc, &in);
	const unsigned flags = op_info[in.op].flags;
	if (is_call(&in)) {
		to[0] = behind;
		return calls;
	}
	if ((flags & (OPF_BRANCH | OPF_JUMP)) && !(flags & OPF_INDIRECT))
		to[n++] = pc + (uint64_t)(int64_t)in.imm;
	if (!(flags & OPF_JUMP))
		to[n++] = behind;
	return n;
}

unsigned reached(const struct session *s, uint64_t pc, bool calls, int reg, uint64_t out[CODE])
{
	unsigned n = 0;
	for (unsigned done = 0, first = 1; first || done < n; first = 0) {
		const uint64_t at = first ? pc : out[done++];
		uint64_t to[2];
		struct inst in;
		inst_at(s, at, &in);
		const unsigned ways = !first && reg >= 0 && in.rd == reg
		                              ? 0
		                              : sampled_values_successors(s, at, calls, to);
		for (unsigned i = 0; i < ways; i++) {
			unsigned k = 0;
			while (k < n && out[k] != to[i])
				k++;
			assert_true(n < CODE);
			if (k == n)
				out[n++] = to[i];
		}
	}
	return n;
}

/* Registers that a call may change. */
static bool is_kept(unsigned reg)
{
	const unsigned k = reg % 32;
	return k == 8 || k == 9 || (k >= 18 && k <= 27) ||
	       (reg < 32 && (k == 0 || (k >= 2 && k <= 4)));
}

/* The only instruction that can have written the register last before pc, on any path; 0: several
 * can, or the caller can. */
static uint64_t only_writer(const struct session *s, uint64_t pc, unsigned reg)
{
	const struct symbol *f = function_of(s, pc);
	static uint64_t behind[CODE];
	unsigned n = 0;
	uint64_t writer = 0;
	behind[n++] = pc;
	for (unsigned done = 0; done < n; done++) {
		struct inst in;
		if (behind[done] == f->addr)
			return 0;
		for (uint64_t at = f->addr, next; at < f->addr + f->size; at = next) {
			uint64_t to[2];
			next = inst_at(s, at, &in);
			const unsigned ways = sampled_values_successors(s, at, true, to);
			if (!(ways > 0 && to[0] == behind[done]) &&
			    !(ways > 1 && to[1] == behind[done]))
				continue;
			if (is_call(&in) && !is_kept(reg))
				return 0;
			if (in.rd == reg) {
				if (writer && writer != at)
					return 0;
				writer = at;
				continue;
			}
			unsigned k = 0;
			while (k < n && behind[k] != at)
				k++;
			assert_true(n < CODE);
			if (k == n)
				behind[n++] = at;
		}
	}
	return writer;
}

bool is_known(const struct session *s, uint64_t pc, unsigned reg, unsigned depth)
{
	struct inst in;
	if (reg == 0 || reg == 2 || reg == 3)
		return true;
	const uint64_t by = depth < 20 ? only_writer(s, pc, reg) : 0;
	if (!by)
		return false;
	inst_at(s, by, &in);
	return !(op_info[in.op].flags & (OPF_LOAD | OPF_STORE | OPF_ATOMIC | OPF_CSR)) &&
	       is_known(s, by, in.rs1, depth + 1) && is_known(s, by, in.rs2, depth + 1) &&
	       is_known(s, by, in.rs3, depth + 1);
}

bool is_fixed(const struct session *s, uint64_t pc, unsigned kind)
{
	struct inst in;
	inst_at(s, pc, &in);
	const unsigned flags = op_info[in.op].flags;
	if (kind == OPERANDS)
		return is_known(s, pc, in.rs2, 0);
	if (kind != RESULTS)
		return is_known(s, pc, in.rs1, 0);
	return !(flags & (OPF_LOAD | OPF_STORE | OPF_ATOMIC | OPF_CSR)) &&
	       ((flags & OPF_JUMP) || (is_known(s, pc, in.rs1, 0) && is_known(s, pc, in.rs2, 0) &&
	                               is_known(s, pc, in.rs3, 0)));
}

/* ---- time ---- */
double share_at(const struct sampled *d, uint64_t pc)
{
	const struct profileme_counts *c = profileme_find(machine_pipe(d->s->machine)->prof, pc);
	return c ? (double)c->delay / (double)d->delay : 0;
}

double readers_at(const struct sampled *d, uint64_t pc)
{
	uint64_t at[CODE];
	struct inst in;
	double sum = 0;
	inst_at(d->s, pc, &in);
	const unsigned reg = in.rd;
	const unsigned n = reg == REG_SINK ? 0 : reached(d->s, pc, false, (int)reg, at);
	for (unsigned i = 0; i < n; i++) {
		inst_at(d->s, at[i], &in);
		if (at[i] != pc && (in.rs1 == reg || in.rs2 == reg || in.rs3 == reg))
			sum += share_at(d, at[i]);
	}
	return sum;
}

const char *line_of(const struct session *s, uint64_t pc)
{
	char *out = some_text();
	struct source_line at;
	*out = '\0';
	if (program_line_at(s->program, pc, &at) && at.line)
		snprintf(out, 256, "%s:%u",
		         strrchr(at.file, '/') ? strrchr(at.file, '/') + 1 : at.file, at.line);
	return out;
}

const char *sampled_text(const struct session *s, unsigned kind, uint64_t v)
{
	char *out = some_text();
	if (kind == JUMPS)
		return strcpy(out, place_of(s, v));
	if (kind == ADDRESSES)
		return program_addr_text(s->program, v, out,
		                         256); /* not what is known of sp and the heap now: it was
		                                  sampled long ago */
	snprintf(out, 256, v < 10 ? "%llu" : "0x%llx", (ull)v);
	return out;
}
