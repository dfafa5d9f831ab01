#include "core/pipe/frontend/speculated.h"

#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/kinds.h"
#include "core/pipe/plugin.h"

void speculated_place(struct bpred *b, const struct config *cfg, struct arena *a)
{
	if (b->perfect ||
	    (cfg->bpred_kind != BPRED_EXTERNAL && !b->indirect_external && !b->btb_external))
		return;
	/* twice as many as are in flight, since decode drops some that fetch looked up */
	const uint64_t most = 2 * (uint64_t)(cfg->rob_size + cfg->fetch_queue);
	while (b->record_mask + 1 < most)
		b->record_mask = b->record_mask << 1 | 1;
	b->speculated = arena_take(a, "path history", 1, sizeof *b->speculated);
	b->records = arena_take(a, "path records", (size_t)b->record_mask + 1, sizeof *b->records);
}

void speculated_reset(struct bpred *b)
{
	if (!b->speculated)
		return;
	memset(b->speculated, 0, sizeof *b->speculated);
	memset(b->records, 0, ((size_t)b->record_mask + 1) * sizeof *b->records);
}

void speculated_ranges(const struct bpred *b, struct ranges *rs)
{
	if (!b->speculated)
		return;
	RANGE(rs, "path history", b->speculated, 1, path.head, RANGE_MOST, OUTCOMES_RING - 1);
	RANGE(rs, "path history", b->speculated, 1, next, RANGE_MOST, b->record_mask);
	RANGE(rs, "path records", b->records, b->record_mask + 1, path, RANGE_MOST,
	      OUTCOMES_RING - 1);
}

uint32_t speculated_path_head(const struct bpred *b, const struct bpred_mark *mark)
{
	return mark->record ? b->records[mark->record - 1u].path : b->speculated->path.head;
}

struct plugin_control speculated_plugin_control(const struct bpred *b,
                                                const struct speculated_control *c,
                                                const struct bpred_mark *mark)
{
	const unsigned flags = inst_flags(c->in);
	return (struct plugin_control){
		.pc = c->pc,
		.branch = flags & OPF_BRANCH,
		.indirect = flags & OPF_INDIRECT,
		.call = inst_pushes_ras(c->in),
		.returns = mark->flags & BPM_FROM_RAS,
		.taken = c->taken,
		.next = c->next,
		.predicted = c->predicted,
		.history = {.path = &b->speculated->path,
	                    .path_head = speculated_path_head(b, mark)},
	};
}

void speculated_begin(struct bpred *b, struct bpred_mark *mark)
{
	struct speculated *s = b->speculated;
	mark->record = (uint16_t)(s->next + 1);
	b->records[s->next] = (struct speculated_record){
		.path = s->path.head, .scratch = plugins_scratch_changes(b->plugins)};
	s->next = (s->next + 1) & b->record_mask;
}

void speculated_fetched(struct bpred *b, const struct speculated_control *c,
                        const struct bpred_mark *mark)
{
	const struct plugin_control control = speculated_plugin_control(b, c, mark);
	b->records[mark->record - 1u].predicted = plugins_scratch_changes(b->plugins);
	plugins_fetched(b->plugins, &control);
	if (control.branch)
		outcomes_push(&b->speculated->path, c->taken);
	const uint64_t bits = c->next >> 1 ^ c->next >> 5;
	for (unsigned i = 0; control.indirect && i < 4; i++)
		outcomes_push(&b->speculated->path, bits >> i & 1);
}

void speculated_undo(struct bpred *b, const struct bpred_mark *mark)
{
	if (!mark->record)
		return;
	const struct speculated_record *r = &b->records[mark->record - 1u];
	b->speculated->path.head = r->path;
	plugins_scratch_undo(b->plugins, r->scratch);
	b->speculated->next = mark->record - 1u;
}

void speculated_repair(struct bpred *b, const struct speculated_control *c,
                       const struct bpred_mark *mark)
{
	if (!mark->record)
		return;
	const struct speculated_record *r = &b->records[mark->record - 1u];
	b->speculated->path.head = r->path;
	plugins_scratch_undo(b->plugins, r->predicted);
	speculated_fetched(b, c, mark);
}
