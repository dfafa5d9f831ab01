/* Events of each place and branch of a program: the expected contents of views of counts. */
#include "tests/unit/cells/profiling_cells.h"

static void push_letter(char last[LAST + 1], char letter)
{
	const size_t n = strlen(last);
	if (n == LAST)
		memmove(last, last + 1, LAST);
	last[n == LAST ? LAST - 1 : n] = letter;
}

static void hear_outcome(struct happened *h, const struct uop *u, uint64_t cycle)
{
	const bool jump = u->op_flags & OPF_JUMP;
	h->outcome[u->seq].known = true;
	h->outcome[u->seq].taken = jump || u->exec.taken;
	h->outcome[u->seq].said = jump || (u->mark.flags & BPM_TAKEN);
	h->outcome[u->seq].wrong = u->flags & UF_MISPREDICT;
	h->outcome[u->seq].resolving =
		h->outcome[u->seq].wrong ? (uint32_t)(cycle - u->when.fetch) : 0;
	h->outcome[u->seq].by = !jump ? u->mark.flags & BPM_USED_L2 ? BY_TWO_LEVEL : BY_BIMODAL
	                        : u->mark.flags & BPM_FROM_RAS ? BY_RAS
	                        : u->mark.flags & BPM_BTB_HIT  ? BY_BTB
	                                                       : BY_NOBODY;
}

void profiling_hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct happened *h = ctx;
	assert_true(ev->seq < SEQS && (ev->pc - TEXT_AT) / 2 < PLACES);
	struct place *p = &h->at[(ev->pc - TEXT_AT) / 2];
	if (ev->id == EV_MEM)
		h->level[ev->seq] = (uint8_t)ev->mem.level;
	if (ev->id == EV_RESOLVE)
		hear_outcome(h, pipe_uop(machine_pipe(m), (uint16_t)ev->slot), ev->cycle);
	if (ev->id != EV_COMMIT)
		return;
	h->committed++;
	p->pc = ev->pc;
	p->executed++;
	p->now++;
	p->lost += h->waiting;
	h->waiting = 0;
	p->l2 += h->level[ev->seq] == LEVEL_L2;
	p->memory += h->level[ev->seq] == LEVEL_MEMORY;
	p->forwards += h->level[ev->seq] == LEVEL_FORWARD;
	if (!h->outcome[ev->seq].known)
		return;
	p->times++;
	p->taken += h->outcome[ev->seq].taken;
	p->wrong += h->outcome[ev->seq].wrong;
	p->resolving += h->outcome[ev->seq].resolving;
	p->by[h->outcome[ev->seq].by]++;
	push_letter(p->took, h->outcome[ev->seq].taken ? 'T' : 'n');
	push_letter(p->said, !h->outcome[ev->seq].said                                ? 'n'
	                     : h->outcome[ev->seq].wrong && h->outcome[ev->seq].taken ? 't'
	                                                                              : 'T');
}

void step_cycle(struct session *s, struct happened *h)
{
	h->committed = 0;
	for (unsigned i = 0; i < PLACES; i++)
		h->at[i].now = 0;
	run_for(s, 1);
	h->waiting += (uint64_t)machine_config(s->machine)->commit_width - h->committed;
}

struct place *ranked(const struct session *s, const struct happened *h,
                     int (*more)(const void *, const void *), size_t *n)
{
	struct place *all = malloc(PLACES * sizeof *all);
	const uint64_t pc = machine_pc(s->machine);
	*n = 0;
	for (unsigned i = 0; i < PLACES; i++) {
		const bool waits = h->waiting && TEXT_AT + 2 * (uint64_t)i == pc;
		if (!h->at[i].pc && !waits)
			continue;
		all[*n] = h->at[i];
		all[*n].pc = TEXT_AT + 2 * (uint64_t)i;
		all[(*n)++].lost += waits ? h->waiting : 0;
	}
	qsort(all, *n, sizeof *all, more);
	return all;
}

int hotter(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	const int heat = ascending(y->executed + y->lost, x->executed + x->lost);
	return heat ? heat : ascending(x->pc, y->pc);
}

int more_often(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	const int count = ascending(y->executed, x->executed);
	return count ? count : ascending(x->pc, y->pc);
}

void says_slots(struct cells *c, const char *column, uint64_t slots, uint64_t width)
{
	char fraction[16];
	snprintf(fraction, sizeof fraction, "%.2f", (double)(slots % width) / (double)width);
	says_double(c, column, (double)slots / (double)width, "%s%s", grouped(slots / width),
	            fraction + 1);
}

void says_some(struct cells *c, const char *column, uint64_t n)
{
	says_word(c, column, RAW_UINT, n, "%s", n ? grouped(n) : "");
}

void says_code(struct cells *c, const char *column, const struct session *s, uint64_t pc)
{
	uint32_t raw = 0;
	struct inst in;
	char text[128];
	assert_true(machine_peek(s->machine, pc, &raw, 4));
	inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &in);
	assembly(s, &in, pc, text);
	says(c, column, "%s", text);
}
