#include "core/pipe/variant.h"

#include "core/defs/config_fields.h"
#include "core/pipe/frontend/fetch_same_line.h"
#include "core/pipe/pipe.h"
#include "core/prof/common/prof.h"

bool variant_is_plain(const struct pipe *p)
{
	return p->fetch_lines == 1 && !p->fetch_past_taken && hierarchy_fetch_is_plain(&p->mem) &&
	       !p->bpred.perfect && !p->memdep.by && !p->in_order &&
	       !p->issue_rules && !p->memory_stage && !p->replay_size && !p->mem.synonyms &&
	       !p->mem.l1d_ports && !p->mem.l2_limits && !p->resolve && !p->unified_port;
}

const struct variant *variant_of(const struct pipe *p, bool watched)
{
	/* By the words of a bitmap: 1, 2, 4, 8, 16. */
	static const struct variant *const plain[] = {
		&variant_quiet_plain, &variant_quiet_plain_medium, &variant_quiet_plain_256,
		&variant_quiet_plain_512, &variant_quiet_plain_1024};
	static_assert(ROB_MAX / 64 == 1 << (sizeof plain / sizeof *plain - 1),
	              "a variant for each capacity");
	/* By the words of a bitmap: 1, 2, 4, 8, more. */
	static const struct variant *const table[2][2][5] = {
		{{&variant_quiet_small, &variant_quiet_medium, &variant_quiet, &variant_quiet,
	          &variant_quiet},
	         {&variant_watched_small, &variant_watched, &variant_watched, &variant_watched,
	          &variant_watched}},
		{{&variant_quiet_small_prof, &variant_quiet_medium_prof, &variant_quiet_256_prof,
	          &variant_quiet_512_prof, &variant_quiet_prof},
	         {&variant_watched_small_prof, &variant_watched_prof, &variant_watched_prof,
	          &variant_watched_prof, &variant_watched_prof}},
	};
	const struct prof *d = p->prof;
	const bool hooks = p->mem.heeds || p->plugins.any || p->bpred.tells,
		   more = d->pending || d->holds || d->cfg->firmware || d->decoded || d->accessed ||
	                  d->squashed || hooks;
	if (d->count && !more && !watched)
		return p->rob_words == 1 ? &variant_quiet_small_tapped : &variant_quiet_tapped;
	if (!p->prof->count && !more && !watched && variant_is_plain(p))
		return plain[__builtin_ctz(p->rob_words)];
	return table[p->prof->count || hooks][watched][__builtin_ctz(p->rob_words)];
}
