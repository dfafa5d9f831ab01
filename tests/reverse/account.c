/* A program's history, computed from events: the expected contents of the oracle's tables. */
#include "tests/reverse/account.h"

#include <stdlib.h>

#include "core/isa/op.h"
#include "core/prof/oracle/oracle.h"

static void account_append_line(struct list *l, uint64_t a, uint64_t b, uint64_t aux, uint64_t w1,
                                uint64_t w2)
{
	if (l->n == l->room) {
		l->room = l->room ? 2 * l->room : 4096;
		l->line = realloc(l->line, l->room * sizeof *l->line);
		assert_non_null(l->line);
	}
	l->line[l->n++] = (struct line){{a, b}, aux, {1, w1, w2}};
}

static int list_by_key(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	for (int i = 0; i < 2; i++)
		if (x->key[i] != y->key[i])
			return x->key[i] < y->key[i] ? -1 : 1;
	return 0;
}

void list_put_together(struct list *l)
{
	size_t n = 0;
	if (!l->n)
		return;
	qsort(l->line, l->n, sizeof *l->line, list_by_key);
	for (size_t i = 1; i < l->n; i++) {
		if (list_by_key(&l->line[n], &l->line[i]) == 0) {
			for (unsigned w = 0; w < 3; w++)
				l->line[n].words[w] += l->line[i].words[w];
		} else {
			l->line[++n] = l->line[i];
		}
	}
	l->n = n + 1;
}

static size_t account_enter(struct account *a, uint64_t callee)
{
	size_t up = a->at;
	for (;; up = a->path[up].parent) {
		if (a->path[up].callee == callee)
			return up;
		if (!up)
			break;
	}
	for (size_t i = 1; i < a->paths; i++)
		if (a->path[i].parent == a->at && a->path[i].callee == callee)
			return i;
	a->path = realloc(a->path, (a->paths + 1) * sizeof *a->path);
	a->path[a->paths] = (struct path){.callee = callee, .parent = a->at};
	return a->paths++;
}

static void account_return_to(struct account *a, uint64_t to)
{
	if (a->frames && a->frame[a->frames - 1].back == to) {
		a->at = a->frame[--a->frames].path;
		return;
	}
	while (a->frames && a->frame[a->frames - 1].sp <= a->sp) {
		a->at = a->frame[--a->frames].path;
		if (a->frame[a->frames].back == to)
			return;
	}
}

/* A jump after sp was loaded: longjmp(), if a call was made at that sp. */
static bool account_jump_back(struct account *a)
{
	size_t n = a->frames;
	a->loaded = false;
	while (n && a->frame[n - 1].sp != a->sp)
		n--;
	if (!n)
		return false;
	a->at = a->frame[n - 1].path;
	a->frames = n - 1;
	return true;
}

/* The first address of pc's procedure. */
static uint64_t account_procedure_start(const struct account *a, uint64_t pc)
{
	size_t lo = 0, hi = a->procedure_count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if ((a->procedures[mid] & ~UINT64_C(1)) <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? a->procedures[lo - 1] : 0;
}

/* A jump through a register begins another procedure, or the same one again, called by the same
 * caller. */
static void account_follow_tail_call(struct account *a, const struct uop *u)
{
	const uint64_t to = u->exec.next_pc;
	if (account_procedure_start(a, to) != to || !a->frames ||
	    (u->inst.op != OP_JALR && account_procedure_start(a, u->pc) == to))
		return;
	a->at = a->frame[a->frames - 1].path;
	a->at = account_enter(a, to);
	a->path[a->at].calls++;
}

static void account_follow_inst(struct account *a, const struct uop *u)
{
	if (!a->paths) {
		a->path = calloc(1, sizeof *a->path);
		a->path[a->paths++].callee = u->pc;
		a->sp = UINT64_MAX;
	}
	a->path[a->at].insts++;
	if (u->inst.rd == REG_SP)
		a->sp = u->result, a->loaded = u->inst.op == OP_LD;
	bool jump = u->inst.op == OP_JAL || u->inst.op == OP_JALR,
	     links = u->inst.rd == 1 || u->inst.rd == 5;
	if (u->inst.op == OP_JALR && !links && a->loaded &&
	    !(a->frames && a->frame[a->frames - 1].back == u->exec.next_pc) &&
	    account_jump_back(a))
		return;
	if (jump && links) {
		a->loaded = false;
		a->frame = realloc(a->frame, (a->frames + 1) * sizeof *a->frame);
		a->frame[a->frames++] = (struct open){u->pc + u->inst.len, a->sp, a->at};
		a->at = account_enter(a, u->exec.next_pc);
		a->path[a->at].calls++;
	} else if (u->inst.op == OP_JALR && (u->inst.rs1 == 1 || u->inst.rs1 == 5)) {
		account_return_to(a, u->exec.next_pc);
	}
	if (!(jump && links))
		account_follow_tail_call(a, u);
}

static void account_record_commit(struct account *a, const struct uop *u)
{
	unsigned flags = inst_flags(&u->inst);
	a->n++;
	account_append_line(&a->insts, u->pc, 0, 0, 0, 0);
	if (flags & OPF_CONTROL)
		account_append_line(&a->edges, u->pc, u->exec.next_pc, 0, 0, 0);
	if (u->inst.rd != REG_SINK)
		account_append_line(&a->values, u->pc, u->result, 0, 0, 0);
	if (flags & OPF_MEMORY)
		account_append_line(&a->addresses, u->pc, u->exec.addr, 0, 0, 0);
	if (flags & OPF_LOAD)
		account_append_line(&a->loads, u->pc, 0, 0, u->mem.level == LEVEL_L1,
		                    u->when.done - u->when.mem);
	account_follow_inst(a, u);
}

void account_hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct account *a = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	assert_int_equal(u->seq, ev->seq);
	if (u->flags & UF_MACHINE)
		return;
	if (ev->id == EV_COMMIT)
		account_record_commit(a, u);
	else if (ev->id == EV_DISPATCH)
		account_append_line(&a->decoded, u->pc, 0, 0, (u->flags & UF_WRONG_PATH) != 0, 0);
	else if (ev->id == EV_LEAVE && !ev->leave.retired && ev->leave.entered)
		a->squashed++;
}

void account_free(struct account *a)
{
	struct list *const lists[] = {&a->insts,     &a->edges, &a->values,
	                              &a->addresses, &a->loads, &a->decoded};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		free(lists[i]->line);
	free(a->path);
	free(a->frame);
	free(a->procedures);
}
