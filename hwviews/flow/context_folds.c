#include "hwviews/flow/context_folds.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

static const uint64_t key_rest = UINT64_C(1) << 40;

bool context_fold_set(struct session *s, uint32_t node, enum fold fold)
{
	struct context_folds *f = s->context_folds ? s->context_folds : alloc_zeroed(1, sizeof *f);
	if (!f)
		return false;
	s->context_folds = f;
	if (node >= f->count) {
		const uint32_t count = node + 1 + node / 2;
		uint8_t *of = alloc_resize(f->of, count);
		if (!of)
			return false;
		memset(of + f->count, (int)f->all, count - f->count);
		f->of = of;
		f->count = count;
	}
	f->of[node] = (uint8_t)fold;
	return true;
}

void context_fold_all(struct session *s, enum fold fold)
{
	context_folds_free(s->context_folds);
	s->context_folds = NULL;
	/* If memory is out, FOLD_AUTO applies, as at the start; the view shows that. */
	if (fold != FOLD_AUTO && (s->context_folds = alloc_zeroed(1, sizeof *s->context_folds)))
		s->context_folds->all = fold;
}

static bool at_least(const struct contexts *c, uint32_t node, unsigned percent)
{
	const uint64_t *with = c->with[c->by];
	return with[node] && (double)with[node] * 100 >= (double)with[0] * percent;
}

enum fold context_fold(const struct session *s, const struct contexts *c, uint32_t node)
{
	const struct context_folds *f = s->context_folds;
	enum fold fold = !f ? FOLD_AUTO : node < f->count ? (enum fold)f->of[node] : f->all;
	if (c->first[node] == c->first[node + 1] && c->back_first[node] == c->back_first[node + 1])
		return FOLD_CLOSED;
	return fold == FOLD_AUTO && node && !at_least(c, node, FOLD_LARGE) ? FOLD_CLOSED : fold;
}

bool context_shown(const struct contexts *c, enum fold parent, uint32_t child)
{
	return parent == FOLD_OPEN || (parent == FOLD_AUTO && at_least(c, child, FOLD_SMALL));
}

void context_folds_free(struct context_folds *f)
{
	if (f)
		free(f->of);
	free(f);
}

uint64_t context_key(uint32_t node, bool rest)
{
	return (1 + (uint64_t)node) | (rest ? key_rest : 0);
}

uint32_t context_of_key(uint64_t key, bool *rest)
{
	*rest = key & key_rest;
	const uint64_t node = (key & ~key_rest) - 1;
	return node < CONTEXT_NONE ? (uint32_t)node : CONTEXT_NONE;
}
