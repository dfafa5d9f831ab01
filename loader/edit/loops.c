#include "loader/edit/loops.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"

/* Dominators by the algorithm of Cooper, Harvey and Kennedy: vertices in reverse postorder. */
struct finder {
	uint32_t n;
	const struct loop_edge *edges;
	uint32_t count;
	/* [n + 1] each, owned: the last vertex is a root before all entries. */
	uint32_t *first_out, *first_in;  /* in out[] and in[] */
	uint32_t *out, *in;              /* [count], owned: the other end of each edge */
	/* vertices in postorder; each one's index in it; its dominator */
	uint32_t *order, *number, *dom;
	uint32_t *stack, *next;
	uint8_t *seen, *entry;
};

static bool finder_init(struct finder *f)
{
	uint32_t **const arrays[] = {&f->first_out, &f->first_in, &f->out,   &f->in,  &f->order,
	                             &f->number,    &f->dom,      &f->stack, &f->next};
	bool ok = true;
	for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
		ok &= (*arrays[i] = alloc_zeroed((size_t)f->n + f->count + 2,
		                                 sizeof **arrays[i])) != NULL;
	f->seen = alloc_zeroed((size_t)f->n + 1, 1);
	f->entry = alloc_zeroed((size_t)f->n + 1, 1);
	return ok && f->seen && f->entry;
}

static void finder_deinit(struct finder *f)
{
	uint32_t *const arrays[] = {f->first_out, f->first_in, f->out,   f->in,  f->order,
	                            f->number,    f->dom,      f->stack, f->next};
	for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
		free(arrays[i]);
	free(f->seen);
	free(f->entry);
}

static void sort_edges(struct finder *f)
{
	for (uint32_t i = 0; i < f->count; i++) {
		f->first_out[f->edges[i].from + 1]++;
		f->first_in[f->edges[i].to + 1]++;
	}
	for (uint32_t v = 0; v < f->n; v++) {
		f->first_out[v + 1] += f->first_out[v];
		f->first_in[v + 1] += f->first_in[v];
	}
	memcpy(f->next, f->first_out, f->n * sizeof *f->next);
	for (uint32_t i = 0; i < f->count; i++)
		f->out[f->next[f->edges[i].from]++] = f->edges[i].to;
	memcpy(f->next, f->first_in, f->n * sizeof *f->next);
	for (uint32_t i = 0; i < f->count; i++)
		f->in[f->next[f->edges[i].to]++] = f->edges[i].from;
}

/* Numbers vertices from v on, with an explicit stack, because functions are long. Returns how many
 * are numbered. */
static uint32_t loops_number_postorder(struct finder *f, uint32_t v, uint32_t left)
{
	uint32_t depth = 0;
	f->stack[depth++] = v;
	f->seen[v] = 1;
	while (depth) {
		const uint32_t at = f->stack[depth - 1];
		if (f->next[at] == f->first_out[at + 1]) {
			f->number[at] = left;
			f->order[left++] = at;
			depth--;
			continue;
		}
		const uint32_t to = f->out[f->next[at]++];
		if (!f->seen[to]) {
			f->seen[to] = 1;
			f->stack[depth++] = to;
		}
	}
	return left;
}

static uint32_t loops_common_dominator(const struct finder *f, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (f->number[a] < f->number[b])
			a = f->dom[a];
		while (f->number[b] < f->number[a])
			b = f->dom[b];
	}
	return a;
}

static void find_dominators(struct finder *f)
{
	const uint32_t root = f->n;
	uint32_t left = 0;
	memcpy(f->next, f->first_out, (f->n + 1) * sizeof *f->next);
	for (uint32_t v = 0; v < f->n; v++)
		if (!f->seen[v]) {
			f->entry[v] = 1;
			left = loops_number_postorder(f, v, left);
		}
	f->number[root] = left;
	for (uint32_t v = 0; v < f->n; v++)
		f->dom[v] = f->entry[v] ? root : LOOP_NONE;
	f->dom[root] = root;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = left; k-- > 0;) {
			const uint32_t v = f->order[k];
			uint32_t dom = f->entry[v] ? root : LOOP_NONE;
			for (uint32_t i = f->first_in[v]; i < f->first_in[v + 1]; i++)
				if (f->dom[f->in[i]] != LOOP_NONE)
					dom = dom == LOOP_NONE
					              ? f->in[i]
					              : loops_common_dominator(f, dom, f->in[i]);
			changed |= dom != f->dom[v];
			f->dom[v] = dom;
		}
	}
}

static bool loops_node_dominates(const struct finder *f, uint32_t a, uint32_t b)
{
	while (f->number[b] < f->number[a])
		b = f->dom[b];
	return a == b;
}

/* Marks the loop of a head in seen[]; returns its size, 0 if there is none. */
static uint32_t mark_body(struct finder *f, uint32_t head)
{
	uint32_t depth = 0, size = 0;
	memset(f->seen, 0, f->n);
	for (uint32_t i = f->first_in[head]; i < f->first_in[head + 1]; i++) {
		const uint32_t turn = f->in[i];
		if (!loops_node_dominates(f, head, turn))
			continue;
		size += !f->seen[head];
		f->seen[head] = 1;
		if (!f->seen[turn]) {
			f->seen[turn] = 1;
			f->stack[depth++] = turn;
			size++;
		}
	}
	while (depth) {
		const uint32_t v = f->stack[--depth];
		for (uint32_t i = f->first_in[v]; i < f->first_in[v + 1]; i++)
			if (!f->seen[f->in[i]]) {
				f->seen[f->in[i]] = 1;
				f->stack[depth++] = f->in[i];
				size++;
			}
	}
	return size;
}

static int larger_first(const void *a, const void *b)
{
	const struct loop *x = a, *y = b;
	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return x->head < y->head ? -1 : x->head > y->head;
}

static bool loops_find_natural_loops(struct finder *f, struct loops *out)
{
	out->all = alloc_zeroed((size_t)f->n + 1, sizeof *out->all);
	out->innermost = alloc_bytes(((size_t)f->n + 1) * sizeof *out->innermost);
	if (!out->all || !out->innermost)
		return false;
	for (uint32_t v = 0; v < f->n; v++) {
		out->innermost[v] = LOOP_NONE;
		const uint32_t size = mark_body(f, v);
		if (size)
			out->all[out->count++] = (struct loop){.head = v, .size = size};
	}
	sort_stable(out->all, out->count, sizeof *out->all, larger_first);
	for (uint32_t k = 0; k < out->count; k++) {
		struct loop *l = &out->all[k];
		mark_body(f, l->head);
		l->outer = out->innermost[l->head];
		if (l->outer != LOOP_NONE)
			out->all[l->outer].inner = true;
		for (uint32_t v = 0; v < f->n; v++)
			if (f->seen[v])
				out->innermost[v] = k;
	}
	return true;
}

void loops_free(struct loops *l)
{
	free(l->all);
	free(l->innermost);
	*l = (struct loops){0};
}

bool loops_find(uint32_t n, const struct loop_edge *edges, uint32_t count, struct loops *out)
{
	struct finder f = {.n = n, .edges = edges, .count = count};
	*out = (struct loops){0};
	bool ok = finder_init(&f);
	if (ok) {
		sort_edges(&f);
		find_dominators(&f);
		ok = loops_find_natural_loops(&f, out);
	}
	finder_deinit(&f);
	if (!ok)
		loops_free(out);
	return ok;
}
