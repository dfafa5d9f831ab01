/* Moves a program to another machine: everything that software can see. */
#include "core/defs/config_fields.h"
#include "core/machine/machine_priv.h"

#include <stdlib.h>

#include "core/defs/stats_fields.h"
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

/* The position is in the arena, and counts the consumed entries. */
static bool give_journal(struct machine *to, const struct machine *from, struct err *err)
{
	void *bytes;
	size_t n;
	*to->journal.st = *from->journal.st;
	os_save_journal(from->os, &bytes, &n);
	bool ok = bytes ? machine_load_journal(to, bytes, n, err)
	                : os_save_failed(from->os, "the journal", err);
	free(bytes);
	return ok;
}

bool machine_move_program(struct machine *to, const struct machine *from, struct err *err)
{
	if (from->pipe.st->cycle)
		return err_set(err, "this machine's pipeline has executed cycles: a program is "
		                    "moved from one that has not");
	*to->pipe.hart = *from->pipe.hart;
	to->pipe.hart->rv64gc = to->cfg.isa == ISA_RV64GC;
	bpred_set_words(&to->pipe.bpred, from->pipe.bpred.st->words, to->cfg.bpred_shift);
	*to->stats = *from->stats;
	*os_state(to->os) = *os_state_const(from->os);
	to->pipe.st->outcome = from->pipe.st->outcome;
	if (!give_memory(to, from) || !give_output(to, from) || !give_files(to, from))
		return err_set(err, "out of memory for the program");
	if (!give_journal(to, from, err))
		return false;
	trap_open(to->pipe.hart, to->mem);
	machine_adopt_hart(to);
	prof_changed(&to->prof); /* its instruction counts have changed */
	return true;
}
