/* Lays the code out: old instructions and inserts become one list of items, which get addresses,
 * and grow where a branch does not reach. Items only grow, so this ends. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/op.h"
#include "loader/edit/edit_priv.h"

enum { DATA_LINE_MOST = 256 }; /* bytes: more than a cache's */

/* ---- items ---- */
static struct edit_item *add_item(struct edit *e, const struct inst *in)
{
	struct edit_item *item = &e->items[e->item_count++];
	*item = (struct edit_item){
		.in = *in,
		.to = EDIT_NONE,
		.high = EDIT_NONE,
		.origin = EDIT_NONE,
		.stub = EDIT_NONE,
		.branch = EDIT_NONE,
		.function = EDIT_NONE,
		.size = in->len,
	};
	return item;
}

static void add_inserts(struct edit *e, uint32_t first)
{
	for (uint32_t at = first; at; at = e->inserts[at - 1].next) {
		const struct edit_insert *insert = &e->inserts[at - 1];
		const uint32_t first_item = e->item_count;
		uint32_t high = EDIT_NONE;
		for (uint32_t k = 0; k < insert->count; k++) {
			const struct edit_code *c = &e->code[insert->first + k];
			struct edit_item *item = add_item(e, &c->in);
			item->ref = c->ref;
			item->target = c->target;
			item->high = high;
			if (c->ref == REF_LABEL) {
				item->ref = REF_NEAR;
				item->to = first_item + (uint32_t)c->target;
			}
			if (c->ref == REF_HIGH)
				high = e->item_count - 1;
		}
	}
}

static void add_inst(struct edit *e, uint32_t i)
{
	const struct edit_inst *in = &e->insts[i];
	struct edit_item *item = add_item(e, &in->in);
	item->origin = i;
	item->ref = in->ref;
	item->target = in->target;
	/* A compressed one may lack room for the new address. */
	if (in->ref == REF_ABS_HIGH || in->ref == REF_ABS_LOW)
		item->size = item->in.len = 4;
	if (in->ref == REF_FIXED)
		item->size = 8;
	item->via = &e->places[i].via;
	item->stub = e->places[i].taken ? i : EDIT_NONE;
	item->function = in->in.rd == REG_SINK ? in->function : EDIT_NONE;
}

static struct edit_item *add_jump(struct edit *e, uint64_t target, uint32_t stub, uint32_t *via)
{
	struct edit_item *jump =
		add_item(e, &(struct inst){.op = OP_JAL, .len = 4, .rd = REG_SINK});
	jump->ref = REF_NEAR;
	jump->target = target;
	jump->stub = stub;
	jump->via = via;
	return jump;
}

/* Adds stubs of taken branches: the inserted code, then a jump to the branch's target. */
static void add_stubs(struct edit *e, uint32_t first, uint32_t end, uint32_t *stub)
{
	for (uint32_t i = first; i < end; i++) {
		if (!e->places[i].taken)
			continue;
		stub[i] = e->item_count;
		add_inserts(e, e->places[i].taken);
		add_jump(e, e->insts[i].target, EDIT_NONE, &e->places[i].stub_via)->function =
			e->insts[i].function;
		for (uint32_t k = stub[i]; k < e->item_count; k++)
			e->items[k].branch = i;
	}
}

static void add_islands(struct edit *e, uint32_t first)
{
	for (uint32_t at = first; at; at = e->islands[at - 1].next) {
		struct edit_island *island = &e->islands[at - 1];
		if (island->over) {
			struct edit_item *jump = add_jump(e, 0, EDIT_NONE, NULL);
			jump->to = e->item_count + 1;
		}
		island->item = e->item_count;
		add_jump(e, island->target, island->stub, &island->via)->function =
			island->function;
	}
}

/* Whether control never continues after the instruction: a jump that does not link. */
static bool edit_never_goes_on(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA) && (inst_flags(&i->in) & OPF_JUMP) && i->in.rd == REG_SINK;
}

/* Whether control that falls through to instruction i comes from its own function. */
static bool comes_on(const struct edit *e, uint32_t i)
{
	const struct edit_inst *in = &e->insts[i];
	return i && !(in->flags & EDIT_ENTRY) && !(in[-1].flags & EDIT_DATA) &&
	       in[-1].addr + in[-1].in.len == in->addr && !edit_never_goes_on(&in[-1]);
}

/* Whether instruction i is the last of its function, or of its section. */
static bool ends_function(const struct edit *e, uint32_t i)
{
	return i + 1 == e->inst_count ||
	       (e->insts[i + 1].flags & (EDIT_ENTRY | EDIT_DATA)) == EDIT_ENTRY ||
	       e->insts[i + 1].addr != e->insts[i].addr + e->insts[i].in.len;
}

/* Whether code that is jumped over may stand after instruction i. */
static bool edit_may_be_parted(const struct edit *e, uint32_t i)
{
	const struct edit_inst *at = &e->insts[i];
	return edit_may_insert_behind(e, i) && !ends_function(e, i) &&
	       !((at->flags | at[1].flags) & EDIT_DATA) &&
	       at->in.op != OP_XHINT;
}

/* Items between groups of stubs. Stubs stand after their function; in a large function also in its
 * middle, so that none is far from old code, after which islands can stand. Control that falls
 * through to stubs jumps over them. */
enum { STUBS_APART = 1 << 14 };

static void edit_layout_append_stub_group(struct edit *e, uint32_t first, uint32_t end,
                                          uint32_t *stub)
{
	const struct edit_inst *last = &e->insts[end - 1];
	const bool goes_on = end < e->inst_count && last[1].addr == last->addr + last->in.len &&
	                     !edit_never_goes_on(last);
	uint32_t taken = first;
	while (taken < end && !e->places[taken].taken)
		taken++;
	if (taken == end)
		return;
	struct edit_item *over = goes_on ? add_jump(e, 0, EDIT_NONE, NULL) : NULL;
	add_stubs(e, first, end, stub);
	if (over)
		over->to = e->item_count;
}

static void add_all(struct edit *e, uint32_t *stub)
{
	uint32_t first = 0, first_item = 0;
	for (uint32_t i = 0; i < e->inst_count; i++) {
		struct edit_item *over = e->places[i].enter && comes_on(e, i)
		                                 ? add_jump(e, 0, EDIT_NONE, NULL)
		                                 : NULL;
		e->start[i] = e->item_count;
		add_inserts(e, e->places[i].enter);
		if (over)
			over->to = e->item_count;
		e->places[i].inside = e->item_count;
		add_inserts(e, e->places[i].before);
		add_inst(e, i);
		add_inserts(e, e->places[i].behind);
		add_islands(e, e->places[i].island);
		const uint32_t items = e->item_count - first_item;
		if (!ends_function(e, i) &&
		    (items <= STUBS_APART || !edit_never_goes_on(&e->insts[i])) &&
		    (items <= 2 * STUBS_APART || !edit_may_be_parted(e, i)))
			continue;
		edit_layout_append_stub_group(e, first, i + 1, stub);
		first = i + 1;
		first_item = e->item_count;
	}
	e->start[e->inst_count] = e->item_count;
	for (uint32_t i = 0; i < e->routine_count; i++) {
		e->routines[i].item = e->item_count;
		add_inserts(e, e->routines[i].insert);
	}
}

/* The item of each old instruction itself. Malloc'd; NULL if memory is out. */
static uint32_t *self_of(const struct edit *e)
{
	uint32_t *self = alloc_bytes((e->inst_count + 1) * sizeof *self);
	for (uint32_t k = 0; self && k < e->item_count; k++)
		if (e->items[k].origin != EDIT_NONE)
			self[e->items[k].origin] = k;
	return self;
}

static bool edit_layout_resolve_targets(struct edit *e, const uint32_t *stub, struct err *err)
{
	uint32_t *self = self_of(e);
	if (!self)
		return err_set(err, "out of memory for the new code of %s", e->p->path);
	for (uint32_t k = 0; k < e->item_count; k++) {
		struct edit_item *item = &e->items[k];
		if (item->origin != EDIT_NONE && item->ref == REF_LOW)
			item->high = self[e->insts[item->origin].high];
		if (item->to != EDIT_NONE)
			continue; /* within inserted code, or over islands and stubs */
		if (item->via && *item->via) {
			item->to = e->islands[*item->via - 1].item;
		} else if (item->stub != EDIT_NONE) {
			item->to = stub[item->stub];
		} else if (item->target - EDIT_ROUTINES < e->routine_count) {
			item->to = e->routines[item->target - EDIT_ROUTINES].item;
		} else if (item->ref != REF_NONE && item->to == EDIT_NONE) {
			uint32_t to = edit_inst_at(e, item->target);
			const bool own = to != EDIT_NONE && item->ref == REF_NEAR &&
			                 e->insts[to].function == item->function;
			const bool again = own && item->origin != EDIT_NONE &&
			                   !edit_may_insert_taken(e, item->origin);
			item->to = to == EDIT_NONE ? EDIT_NONE
			           : again         ? self[to]
			           : own           ? e->places[to].inside
			                           : e->start[to];
		}
	}
	free(self);
	return true;
}

static size_t items_needed(const struct edit *e)
{
	size_t n = e->inst_count + e->code_count + 2 * (size_t)e->island_count;
	for (uint32_t i = 0; i < e->inst_count; i++)
		n += (e->places[i].taken ? 2U : 0U) +
		     (e->places[i].enter ? 1U
		                         : 0U); /* the jump at its stub's end, and one over the
						 * stub; one over the code for other arrivals */
	return n + 1;
}

/* Allocates the items and the starts of instructions; later layouts may have room already. */
static bool edit_layout_reserve_items(struct edit *e)
{
	const size_t needed = items_needed(e);
	if (needed > e->item_room) {
		free(e->items);
		e->item_room = needed + needed / 8;
		e->items = alloc_bytes(e->item_room * sizeof *e->items);
	}
	if (!e->start)
		e->start = alloc_bytes((e->inst_count + (size_t)1) * sizeof *e->start);
	return e->items && e->start;
}

static bool line_up(struct edit *e, struct err *err)
{
	uint32_t *stub = alloc_bytes((e->inst_count + 1) * sizeof *stub);
	e->item_count = 0;
	bool ok = stub && edit_layout_reserve_items(e);
	if (ok) {
		add_all(e, stub);
		ok = edit_layout_resolve_targets(e, stub, err);
	} else {
		err_format(err, "out of memory for the new code of %s", e->p->path);
	}
	free(stub);
	return ok;
}

/* ---- addresses ---- */

/* Bytes of a branch or jump over this distance: 2, 4; or 8: an inverted branch over a jump, or a
 * call through its link register. An inverted branch over such a pair never occurs: code is smaller
 * than a jump's reach, or refused. */
static unsigned near_size(const struct edit_item *item, int64_t offset)
{
	const bool branch = inst_flags(&item->in) & OPF_BRANCH;
	if (item->in.len == 2 && edit_fits(offset, branch ? 9 : 12))
		return 2;
	return edit_fits(offset, branch ? 13 : 21) ? 4 : 8;
}

/* Aligns old data between code to its old place in a line, which is as large as its section's
 * alignment. */
static uint64_t edit_layout_align_old_data(const struct edit *e, const struct edit_item *item,
                                           uint64_t at, uint64_t line)
{
	if (item->origin == EDIT_NONE)
		return at;
	const struct edit_inst *i = &e->insts[item->origin];
	const bool first_data =
		(i->flags & EDIT_DATA) && (item->origin == 0 || !(i[-1].flags & EDIT_DATA));
	if (first_data)
		at += (i->addr - at) & (line - 1);
	return at;
}

static void give_addresses(struct edit *e)
{
	uint64_t at = e->text;
	for (uint32_t s = 1; s < e->section_count; s++) {
		struct edit_section *section = &e->sections[s];
		if (!section->code)
			continue;
		const uint64_t line =
			section->head.sh_addralign > 2 ? section->head.sh_addralign : 2;
		at = (at + line - 1) / line * line;
		section->new_addr = at;
		for (uint32_t k = e->start[section->first];
		     k < e->start[section->first + section->count]; k++) {
			at = edit_layout_align_old_data(
				e, &e->items[k], at, line < DATA_LINE_MOST ? line : DATA_LINE_MOST);
			e->items[k].addr = at;
			at += e->items[k].size;
		}
	}
	at = (at + 7) / 8 * 8;
	e->routines_at = at;
	for (uint32_t k = e->start[e->inst_count], r = 0; k < e->item_count; k++) {
		if (r < e->routine_count && e->routines[r].item == k) {
			at = (at + 7) / 8 * 8;
			r++;
		}
		e->items[k].addr = at;
		at += e->items[k].size;
	}
	e->text_end = at;
}

static bool edit_layout_grow_branches(struct edit *e)
{
	bool grown = false;
	for (uint32_t k = 0; k < e->item_count; k++) {
		struct edit_item *item = &e->items[k];
		if (item->ref != REF_NEAR)
			continue;
		unsigned size = near_size(item, (int64_t)(edit_place_of(e, item) - item->addr));
		if (size > item->size) {
			item->size = (uint8_t)size;
			grown = true;
		}
	}
	return grown;
}

/* ---- islands ---- */

/* Islands: jumps for jumps that don't reach their target. Where all registers must be kept, jal, 1
 * MB, is the longest. Islands stand after jumps of the old code, or after an added jump that leads
 * over them. */

/* Bytes: less than a jump's reach, because islands make the code longer; the least distance for
 * which an island is made. */
enum { ISLAND_REACH = 900 << 10, ISLAND_STEP = 4 << 10 };

/* Whether the item is a jump that must keep all registers and does not reach its target. */
static bool is_stranded(const struct edit *e, const struct edit_item *item)
{
	if (item->ref != REF_NEAR || !item->via)
		return false;
	const bool branch = inst_flags(&item->in) & OPF_BRANCH;
	const int64_t offset = (int64_t)(edit_place_of(e, item) - item->addr) -
	                       (branch && item->size == 8 ? 4 : 0);
	return item->size == 8 && !edit_fits(offset, 21) && (branch || item->in.rd == REG_SINK);
}

/* The farthest instruction within reach after which an island may stand, preferably a jump;
 * EDIT_NONE. *over: it is no jump. */
static uint32_t find_shore(const struct edit *e, const struct edit_item *item, bool forwards,
                           bool *over)
{
	uint32_t best = EDIT_NONE, other = EDIT_NONE;
	for (uint32_t k = (uint32_t)(item - e->items); k < e->item_count; forwards ? k++ : k--) {
		const struct edit_item *at = &e->items[k];
		const uint64_t far = forwards ? at->addr - item->addr : item->addr - at->addr;
		if (far > ISLAND_REACH)
			break;
		if (far <= ISLAND_STEP || at->origin == EDIT_NONE)
			continue;
		if (edit_never_goes_on(&e->insts[at->origin]))
			best = at->origin;
		else if (edit_may_be_parted(e, at->origin))
			other = at->origin;
	}
	*over = best == EDIT_NONE;
	return *over ? other : best;
}

/* An island within reach to the same target, nearer to it than the jump: index + 1; 0 if none. */
static uint32_t find_island(const struct edit *e, const struct edit_item *item, bool forwards)
{
	for (uint32_t i = 0; i < e->island_count; i++) {
		const struct edit_island *island = &e->islands[i];
		if (island->item == EDIT_NONE || island->target != item->target ||
		    island->stub != item->stub || island->function != item->function)
			continue;
		const int64_t far = (int64_t)(e->items[island->item].addr - item->addr);
		if ((forwards ? far : -far) > ISLAND_STEP &&
		    (forwards ? far : -far) <= ISLAND_REACH)
			return i + 1;
	}
	return 0;
}

static uint32_t make_island(struct edit *e, const struct edit_item *item, bool forwards,
                            struct err *err)
{
	bool over;
	uint32_t shore = find_shore(e, item, forwards, &over);
	if (shore == EDIT_NONE) {
		edit_cant(e, item,
		          "leads more than 1 MB away, and no place for a jump lies between", err);
		return 0;
	}
	if (e->island_count == e->island_room) {
		uint32_t room = 2 * e->island_room + 64;
		struct edit_island *more = alloc_resize(e->islands, room * sizeof *more);
		if (!more) {
			err_format(err, "out of memory for the new code of %s", e->p->path);
			return 0;
		}
		for (uint32_t k = 0; k < e->item_count; k++) /* islands' own keep theirs */
			e->items[k].via = NULL;
		e->islands = more;
		e->island_room = room;
	}
	e->islands[e->island_count] = (struct edit_island){
		.behind = shore,
		.next = e->places[shore].island,
		.target = item->target,
		.stub = item->stub,
		.function = item->function,
		.item = EDIT_NONE,
		.over = over,
	};
	e->places[shore].island = ++e->island_count;
	return e->island_count;
}

/* Routes jumps that don't reach their target over islands. False with *err; *moved: some were, so
 * everything must be laid out again. */
static bool edit_bridge(struct edit *e, bool *moved, struct err *err)
{
	*moved = false;
	for (uint32_t k = 0; k < e->item_count; k++) {
		struct edit_item *item = &e->items[k];
		if (!is_stranded(e, item))
			continue;
		const bool forwards = edit_place_of(e, item) > item->addr;
		uint32_t *via = item->via;
		uint32_t island = find_island(e, item, forwards);
		*moved = true;
		if (!island && !(island = make_island(e, item, forwards, err)))
			return false;
		if (!item->via)
			return true; /* the islands have moved: lay out again */
		*via = island;
	}
	return true;
}

bool edit_lay_out(struct edit *e, struct err *err)
{
	for (bool moved = true; moved;) {
		if (!line_up(e, err))
			return false;
		do
			give_addresses(e);
		while (edit_layout_grow_branches(e));
		if (!edit_bridge(e, &moved, err))
			return false;
	}
	return true;
}
