/* Moves a program to another machine: everything that software can see; or copies a machine. */
#include "core/defs/config_fields.h"
#include "core/machine/machine_priv.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/defs/stats_fields.h"
#include "core/machine/params.h"
#include "core/machine/warm_state.h"
#include "core/trap/trap.h"

static bool give_memory(struct machine *to, const struct machine *from)
{
	uint8_t bytes[PAGE_BYTES];
	for (struct mem_region r = {0}; mem_next_region(from->mem, r.end, &r);)
		if (!mem_map(to->mem, r.start, r.end - r.start, r.prot, r.name))
			return false;
	for (uint64_t a = mem_next_touched(from->mem, 0); a < MEM_END;
	     a = mem_next_touched(from->mem, a + PAGE_BYTES))
		if (!mem_peek(from->mem, a, bytes, sizeof bytes) ||
		    !mem_poke(to->mem, a, bytes, sizeof bytes))
			return false;
	return true;
}

static bool give_output(struct machine *to, const struct machine *from)
{
	void *bytes;
	size_t n;
	os_save_output(from->os, &bytes, &n);
	bool ok = bytes && os_load_output(to->os, bytes, n);
	free(bytes);
	return ok;
}

static bool give_files(struct machine *to, const struct machine *from)
{
	void *bytes;
	size_t n;
	os_save_files(from->os, &bytes, &n);
	bool ok = bytes && os_load_files(to->os, bytes, n);
	free(bytes);
	return ok;
}

/* Copies the journal, and the number of consumed entries, which is in the arena. */
static bool give_journal(struct machine *to, const struct machine *from, bool ahead,
                         struct err *err)
{
	void *bytes;
	size_t n;
	*to->journal.st = *from->journal.st;
	os_save_journal(from->os, ahead, &bytes, &n);
	bool ok = bytes ? machine_load_journal(to, bytes, n, err)
	                : os_save_failed(from->os, "the journal", err);
	free(bytes);
	to->journal.undated = ahead;
	return ok;
}

bool machine_move_program(struct machine *to, const struct machine *from, struct err *err)
{
	if (from->pipe.st->cycle)
		return err_set(err, "this machine's pipeline has executed cycles: a program is "
		                    "moved from one that has not");
	*to->pipe.hart = *from->pipe.hart;
	to->pipe.hart->isa = (uint64_t)to->cfg.isa;
	bpred_set_words(&to->pipe.bpred, from->pipe.bpred.st->words, to->cfg.bpred_shift);
	*to->stats = *from->stats;
	*os_state(to->os) = *os_state_const(from->os);
	to->pipe.st->outcome = from->pipe.st->outcome;
	if (!give_memory(to, from) || !give_output(to, from) || !give_files(to, from))
		return err_set(err, "out of memory for the program");
	if (!give_journal(to, from, false, err))
		return false;
	trap_open(to->pipe.hart, to->mem);
	machine_adopt_hart(to);
	prof_changed(&to->prof); /* its instruction counts have changed */
	return true;
}

/* ---- copies ---- */
static const char *const of_pipeline[] = {
	"instructions",    "fetch queue",          "reorder buffer",
	"load/store queue", "ready",               "retry",
	"unknown stores",  "wheel",                "ready summary",
	"wheel words",     "dependence predictor", "dependence table",
	"co-processor tags", "target changes in flight",
	"last stores of store sets",
};

/* Reservations of resources that only one of the machines limits: without them all are free. */
static const char *const of_limits[] = {"write ports", "l2 limits"};

static bool move_program_is_listed(const char *name, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

#define IS_LISTED(name, list) move_program_is_listed(name, list, sizeof(list) / sizeof *(list))

/* The section of m that corresponds to section k of `of`; NULL if there is none. */
static const struct arena_section *move_program_find_section(const struct machine *m,
                                                             const struct machine *of, unsigned k)
{
	unsigned nth = 0;
	for (unsigned i = 0; i < k; i++)
		nth += !strcmp(of->arena.section[i].name, of->arena.section[k].name);
	for (unsigned i = 0; i < m->arena.count; i++)
		if (!strcmp(m->arena.section[i].name, of->arena.section[k].name) && !nth--)
			return &m->arena.section[i];
	return NULL;
}

/* The parts that are reshaped because section k of `to` has another size. */
static unsigned move_program_section_parts(const struct machine *to, const struct machine *from,
                                           unsigned k)
{
	const struct arena_section *s = &to->arena.section[k],
				   *other = move_program_find_section(from, to, k);
	if (s->bytes == (other ? other->bytes : 0) || IS_LISTED(s->name, of_limits))
		return 0;
	if (IS_LISTED(s->name, of_pipeline) || !s->bytes)
		return MACHINE_PART_PIPELINE;
	return !strcmp(s->name, "branch target buffer")
	               ? MACHINE_PART_PIPELINE | MACHINE_PART_TARGETS
	               : MACHINE_PART_REST;
}

/* Parts of equal size whose contents have another meaning under another value of a parameter. */
static unsigned move_program_param_parts(const struct machine *to, const struct param *p)
{
	static const char *const pipeline[] = {"pipe.in_order", "pipe.completion",
	                                       "lsq.predictor", "bpred.update"};
	const size_t n = strlen(p->name);
	if (IS_LISTED(p->name, pipeline))
		return MACHINE_PART_PIPELINE;
	if (!strcmp(p->name, "bpred.kind"))
		return MACHINE_PART_PIPELINE | (to->pipe.bpred.perfect ? 0 : MACHINE_PART_REST);
	if (!strncmp(p->name, "btb.", 4))
		return MACHINE_PART_PIPELINE | MACHINE_PART_TARGETS;
	/* a perfect cache only ignores its lines */
	if (n > 8 && !strcmp(p->name + n - 8, ".perfect"))
		return 0;
	return machine_warm_ignores(p) || !strcmp(p->name, "os.switch") ? 0 : MACHINE_PART_REST;
}

unsigned machine_reshaped(const struct machine *to, const struct machine *from)
{
	unsigned parts = 0;
	for (unsigned k = 0; k < to->arena.count; k++)
		parts |= move_program_section_parts(to, from, k);
	for (unsigned k = 0; k < from->arena.count; k++) {
		const struct arena_section *s = &from->arena.section[k];
		if (s->bytes && !move_program_find_section(to, from, k) &&
		    !IS_LISTED(s->name, of_limits))
			parts |= MACHINE_PART_PIPELINE;
	}
	for (size_t i = 0; i < param_count; i++)
		if (!config_same(&to->cfg, &from->cfg, &params[i]))
			parts |= move_program_param_parts(to, &params[i]);
	return parts;
}

static void move_program_copy_section(struct machine *to, const struct machine *from, unsigned k)
{
	const struct arena_section *s = &to->arena.section[k],
				   *other = move_program_find_section(from, to, k);
	if (other && other->bytes == s->bytes)
		memcpy(to->arena.base + s->at, from->arena.base + other->at, s->bytes);
}

void machine_copy_targets(struct machine *to, const struct machine *from)
{
	for (unsigned k = 0; k < to->arena.count; k++)
		if (!strcmp(to->arena.section[k].name, "branch target buffer"))
			move_program_copy_section(to, from, k);
}

/* Adjusts the copied pipeline, which is empty, to tables that are new. */
static void move_program_begin_pipeline(struct pipe *p)
{
	struct pipe_state *st = p->st;
	assert(!st->rob_count && !st->fetchq_count && !st->lsq_count);
	st->slot_next = 0;
	st->rob_head = st->lsq_head = st->fetchq_head = 0;
	st->spec_slot = st->serial_slot = st->miss_slot = NO_SLOT;
	st->memory_until = 0;
	st->after_squash = 0; /* its first cycles are no misprediction's */
	memdep_reset(&p->memdep);
}

bool machine_copy(struct machine *to, const struct machine *from, struct err *err)
{
	const unsigned parts = machine_reshaped(to, from);
	struct attachment_states beside = {0};
	for (unsigned k = 0; k < to->arena.count; k++) {
		const char *name = to->arena.section[k].name;
		if (!((parts & MACHINE_PART_PIPELINE) && IS_LISTED(name, of_pipeline)) &&
		    !((parts & MACHINE_PART_TARGETS) && !strcmp(name, "branch target buffer")))
			move_program_copy_section(to, from, k);
	}
	/* The cycles so far had fewer or more commit slots, each of which is charged to a row. */
	to->stats->counts.cpi_base +=
		((uint64_t)to->pipe.commit_width - from->pipe.commit_width) * to->stats->cycles;
	if (!to->pipe.bpred.ras_size)
		to->pipe.bpred.st->ras_top = to->pipe.bpred.st->ras_count = 0;
	arena_stale_all(to);
	to->pipe.mem.recent->clock = UINT64_MAX; /* the cache is of the other machine's state */
	if (parts & MACHINE_PART_PIPELINE)
		move_program_begin_pipeline(&to->pipe);
	if (!give_memory(to, from) || !give_output(to, from) || !give_files(to, from) ||
	    !attachments_save(from, &beside))
		return err_set(err, "out of memory for the program");
	for (unsigned i = 0; i < to->device_attachments; i++)
		to->attachment[i].ops->restore(to->attachment[i].ctx, beside.state[i].state);
	attachments_free(&beside);
	if (!give_journal(to, from, true, err))
		return false;
	trap_open(to->pipe.hart, to->mem);
	return true;
}
