#include "core/machine/warm_state.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/machine/checkpoint_check.h"
#include "core/machine/machine_priv.h"
#include "core/machine/params.h"
#include "core/trap/trap.h"

/* Sections of the arena. Sections that are not listed belong to the pipeline or a device, and are
 * empty. */
static const char *const parts[] = {
	"hart",
	"statistics",
	"system",
	"predictor",
	"bimodal table",
	"history registers",
	"second-level table",
	"chooser table",
	"direction predictor",
	"branch target buffer",
	"return stack",
	"memory system",
	"l1i",
	"l1d",
	"l2",
	"l1i replacement",
	"l1d replacement",
	"l2 replacement",
	"l1d prefetcher",
	"l2 prefetcher",
	"itlb",
	"dtlb",
};
static_assert(sizeof parts / sizeof *parts <= WARM_SPANS, "they fit");

unsigned machine_warm_spans(struct machine *m, struct warm_span *out)
{
	unsigned n = 0;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		for (unsigned k = 0; k < m->arena.count; k++) {
			const struct arena_section *s = &m->arena.section[k];
			if (s->bytes && !strcmp(s->name, parts[i]))
				out[n++] = (struct warm_span){
					s->name, (uint64_t *)(void *)(m->arena.base + s->at),
					(s->bytes + 7) / 8};
		}
	return n;
}

uint64_t machine_warm_layout(struct machine *m)
{
	struct warm_span span[WARM_SPANS];
	uint64_t h = HASH_START;
	const unsigned n = machine_warm_spans(m, span);
	for (unsigned i = 0; i < n; i++) {
		h = hash_bytes(h, span[i].name, strlen(span[i].name) + 1);
		h = hash_bytes(h, &span[i].words, sizeof span[i].words);
	}
	return h;
}

bool machine_warm_adopt(struct machine *m, struct err *err)
{
	arena_stale_all(m);
	m->pipe.mem.recent->clock = UINT64_MAX; /* it caches another machine's state */
	if (!machine_is_within_ranges(m, err))
		return false;
	trap_open(m->pipe.hart, m->mem);
	machine_adopt_hart(m);
	prof_changed(&m->prof); /* its instruction counts have changed */
	return machine_state_is_valid(m, err);
}

bool machine_warm_ignores(const struct param *p)
{
	static const char *const groups[] = {"pipe.", "lsq.", "fu.", "lat.",
	                                     "occ.",  "bus.", "mem."},
				 *const names[] = {
					 "bpred.penalty", "l1i.latency",      "l1d.latency",
					 "l1d.ports",     "l1d.mshrs",        "l1d.mshr_targets",
					 "l2.latency",    "l1d.write_buffer", "l2.ports",
					 "l2.mshrs",      "tlb.penalty",
				 };
	for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
		if (!strncmp(p->name, groups[i], strlen(groups[i])))
			return true;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(p->name, names[i]))
			return true;
	return false;
}
