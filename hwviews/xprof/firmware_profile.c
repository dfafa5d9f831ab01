#include "hwviews/xprof/firmware_profile.h"

#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/pipe/pipe.h"
#include "core/prof/oracle/oracle.h"
#include "hwviews/grid/order.h"

/* Must match demos/firmware/firmware.h, which can't be included: it is for the guest. */
#define MAGIC UINT64_C(0x666f72702e637963)
enum { KIND_PC = 1, CAPACITY_MAX = 1 << 20 };

/* An entry of the table in guest memory. */
struct slot {
	uint64_t pc, count;
};

struct header {
	uint64_t magic, kind, entries, capacity, samples, dropped, period, table;
};

static bool firmware_profile_read_header(const struct session *s, struct header *h, struct err *err)
{
	const struct program *firmware = program_firmware(s->program);
	if (!firmware)
		return err_set(
			err,
			"no firmware runs: start with --firmware FILE.elf; `view spent` has the "
			"time of each place without it");
	const struct symbol *sym = program_symbol_by_name(firmware, PROFILE_SYMBOL);
	if (!sym)
		return err_set(err,
		               "%s keeps no profile: it has no symbol " PROFILE_SYMBOL
		               " (demos/firmware/firmware.h)",
		               program_path(firmware));
	if (!machine_peek(s->machine, sym->addr, h, sizeof *h) || h->magic != MAGIC)
		return err_set(err,
		               "what %s calls " PROFILE_SYMBOL
		               " is none: it should begin with 0x%" PRIx64,
		               program_path(firmware), MAGIC);
	if (h->kind != KIND_PC)
		return err_set(err,
		               "%s keeps a profile of kind %" PRIu64
		               "; expected %d, samples of the program counter",
		               program_path(firmware), h->kind, KIND_PC);
	if (h->capacity > CAPACITY_MAX)
		return err_set(
			err, "the profile claims room for %" PRIu64 " entries; at most %d are read",
			h->capacity, CAPACITY_MAX);
	return true;
}

ORDER(hotter, struct profile_entry, DOWN(count) ?: UP(pc))

/* Appends the slots in use, with the oracle's counts. */
static void firmware_profile_append_slots(struct profile *p, const struct slot *slots, size_t n,
                                          const struct prof *d)
{
	for (size_t i = 0; i < n; i++) {
		if (!slots[i].pc || !slots[i].count)
			continue;
		p->sum += slots[i].count;
		p->entries[p->count++] = (struct profile_entry){slots[i].pc, slots[i].count,
		                                                oracle_count(d, slots[i].pc)};
	}
	if (p->count)
		sort_stable(p->entries, p->count, sizeof *p->entries, hotter);
}

bool profile_read(const struct session *s, struct profile *out, struct err *err)
{
	struct header h;
	if (!firmware_profile_read_header(s, &h, err))
		return false;
	const struct prof *d = machine_pipe(s->machine)->prof;
	struct slot *slots = alloc_zeroed(h.capacity + 1, sizeof *slots);
	*out = (struct profile){
		.dropped = h.dropped, .period = h.period, .exact = oracle_total(d),
		.entries = alloc_zeroed(h.capacity + 1, sizeof *out->entries),
	};
	/* The table pointer is 0 until firmware has started. */
	size_t n = h.table ? h.capacity : 0;
	bool room = slots && out->entries,
	     ok = room && (!n || machine_peek(s->machine, h.table, slots, n * sizeof *slots));
	if (ok)
		firmware_profile_append_slots(out, slots, n, d);
	free(slots);
	if (ok)
		return true;
	profile_deinit(out);
	return room ? err_set(err, "the profile's table at 0x%" PRIx64 " is not all there", h.table)
	            : err_set(err, "out of memory for a profile of %" PRIu64 " entries",
	                      h.capacity);
}

ORDER(lower, struct profile_entry, UP(pc))

/* Sums exact executions of each function, including instructions without samples. Entries are
 * sorted by address. */
static void count_exactly(const struct session *s, struct profile *p)
{
	const struct oracle *o = oracle_of(machine_pipe(s->machine)->prof);
	for (size_t i = 0; i < p->count; i++)
		p->entries[i].exact = 0;
	for (uint32_t i = 0; o && i < oracle_entries(o, ORACLE_INSTS); i++) {
		const struct oracle_entry *e = oracle_entry(o, ORACLE_INSTS, i);
		const struct symbol *sym = program_symbol_at(s->program, e->key[0]);
		struct profile_entry key = {.pc = sym ? sym->addr : e->key[0]};
		struct profile_entry *found =
			bsearch(&key, p->entries, p->count, sizeof key, lower);
		if (found)
			found->exact += e->count;
	}
}

void profile_by_function(const struct session *s, struct profile *p)
{
	size_t used = 0;
	for (size_t i = 0; i < p->count; i++) {
		const struct symbol *sym = program_symbol_at(s->program, p->entries[i].pc);
		if (sym)
			p->entries[i].pc = sym->addr;
	}
	if (!p->count)
		return;
	sort_stable(p->entries, p->count, sizeof *p->entries, lower);
	for (size_t i = 1; i < p->count; i++) {
		if (p->entries[i].pc == p->entries[used].pc)
			p->entries[used].count += p->entries[i].count;
		else
			p->entries[++used] = p->entries[i];
	}
	p->count = used + 1;
	count_exactly(s, p);
	sort_stable(p->entries, p->count, sizeof *p->entries, hotter);
}

void profile_deinit(struct profile *p)
{
	free(p->entries);
	*p = (struct profile){0};
}
