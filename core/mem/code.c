/* Decoded code: records of instructions, decoded when first fetched, kept in the page that they
 * were decoded from, so that they follow it through snapshots and restores. */
#include "core/base/populate.h"
#include "core/mem/mem_priv.h"

#include <stdlib.h>

#include "core/base/alloc.h"

enum { LAST_PARCEL = PAGE_BYTES - 2 };

static bool is_long(uint32_t parcel)
{
	return (parcel & 3) == 3;
}

static uint32_t parcel_at(const struct page *p, unsigned off)
{
	uint16_t parcel = 0;
	if (p)
		memcpy(&parcel, p->bytes + off, sizeof parcel);
	return parcel;
}

/* Marks a record as not decoded: op 0 and len 0, since functional_run() dispatches on either. */
static void code_invalidate_inst(struct inst *in)
{
	in->op = OP_ILLEGAL;
	in->len = 0;
}

static struct mem_code *code_entry(struct mem *mem, uint64_t pn)
{
	return &mem->head.code[pn & (MEM_CODE - 1)];
}

/* Removes the page from the list; the last entry takes its place. */
static void code_unlink_page(struct mem *mem, struct page *p)
{
	struct code_list *l = &mem->coded;
	const uint64_t moved = l->page[--l->count];
	l->page[p->coded] = moved;
	tree_find(&mem->space, moved)->coded = p->coded;
	p->code = NULL;
}

static void drop_code(struct mem *mem, struct page *p)
{
	free(p->code);
	code_unlink_page(mem, p);
}

void code_leave_page(void *mem, struct page *p)
{
	if (p->code)
		drop_code(mem, p);
}

void code_leave(struct mem *mem, uint64_t first, uint64_t last)
{
	if (mem->coded.count)
		tree_each(&mem->space, first, last, code_leave_page, mem);
}

void code_move(struct mem *mem, const struct space *to)
{
	struct code_list *l = &mem->coded;
	for (size_t i = l->count; i-- > 0;) {
		struct page *from = tree_find(&mem->space, l->page[i]),
			    *p = tree_find(to, l->page[i]);
		if (p == from)
			continue;
		if (!p || memcmp(p->bytes, from->bytes, PAGE_BYTES) != 0) {
			drop_code(mem, from);
			continue;
		}
		p->code = from->code;
		p->code_stores = from->code_stores;
		from->code = NULL;
	}
	for (size_t i = 0; i < l->count; i++)
		tree_find(to, l->page[i])->coded = (uint32_t)i;
}

/* Makes room on the list for one more page; false if host memory is out. */
static bool list_room(struct code_list *l)
{
	if (l->count < l->room)
		return true;
	size_t room = l->room ? 2 * l->room : 64;
	/* on failure code is decoded again at each fetch */
	uint64_t *grown = alloc_try_resize(l->page, room * sizeof *grown);
	if (!grown)
		return false;
	l->page = grown;
	l->room = room;
	return true;
}

/* Enters page p's records in the code table, and returns them: new and undecoded if p had none.
 * NULL if host memory is out. */
static struct inst *code_attach_page(struct mem *mem, uint64_t pn, struct page *p)
{
	if (!p->code) {
		if (!list_room(&mem->coded))
			return NULL;
		/* on failure, too */
		p->code = mem->spare ? mem->spare
		                     : alloc_try_bytes((CODE_PARCELS + 1) * sizeof *p->code);
		if (!p->code)
			return NULL;
		mem->spare = NULL;
		p->coded = (uint32_t)mem->coded.count;
		mem->coded.page[mem->coded.count++] = pn;
		populate_memory(p->code, (CODE_PARCELS + 1) * sizeof *p->code);
		memset(p->code, 0, (CODE_PARCELS + 1) * sizeof *p->code);
		p->code_stores = 0;
		/* From now on stores to the page must take the slow path. */
		struct mem_fast *const entry[] = {mem_fast_entry(mem, pn << PAGE_LOG2),
		                                  mem_recent_entry(mem, pn)};
		for (unsigned i = 0; i < 2; i++)
			if (entry[i]->write == pn)
				entry[i]->write = MEM_NO_TAG;
	}
	*code_entry(mem, pn) = (struct mem_code){ .page = pn, .insts = p->code };
	return p->code;
}

static const struct inst *decode_lone(const struct mem *mem, struct lone_inst *to, uint32_t raw)
{
	inst_decode_as(mem->isa, raw, &to->inst);
	return &to->inst;
}

static struct straddle *straddle_entry(struct mem *mem, uint64_t pc)
{
	return &mem->straddle[(pc >> PAGE_LOG2) & (STRADDLES - 1)];
}

/* Fetches a long instruction of which only the first parcel, `low`, lies on page p. */
static const struct inst *fetch_straddling(struct mem *mem, uint64_t pc, struct page *p,
                                           uint32_t low)
{
	uint64_t pn = pc >> PAGE_LOG2;
	if (!(mem_prot_hinted(mem, pc + 2) & PROT_X))
		return NULL;
	struct page *next = tree_find(&mem->space, pn + 1);
	uint32_t raw = low | parcel_at(next, 0) << 16;
	if (!next || !code_attach_page(mem, pn, p) || !code_attach_page(mem, pn + 1, next))
		return decode_lone(mem, &mem->scratch, raw);
	struct straddle *s = straddle_entry(mem, pc);
	s->pc = pc;
	return decode_lone(mem, &s->at, raw);
}

const struct inst *mem_fetch_slow(struct mem *mem, uint64_t pc)
{
	uint64_t pn = pc >> PAGE_LOG2;
	unsigned off = pc & (PAGE_BYTES - 1);
	if (pc & 1)
		return NULL;
	if (off == LAST_PARCEL) {
		struct straddle *s = straddle_entry(mem, pc);
		if (s->pc == pc)
			return &s->at.inst;
	}
	if (!(mem_prot_hinted(mem, pc) & PROT_X))
		return NULL;
	struct page *p = tree_find(&mem->space, pn);
	uint32_t raw = parcel_at(p, off);
	if (is_long(raw)) {
		if (off == LAST_PARCEL)
			return fetch_straddling(mem, pc, p, raw);
		raw |= parcel_at(p, off + 2) << 16;
	}
	/* A page that was never written has no place for records. */
	struct inst *code = p ? code_attach_page(mem, pn, p) : NULL;
	if (!code)
		return decode_lone(mem, &mem->scratch, raw);
	struct inst *in = &code[off >> 1];
	if (!in->len)
		inst_decode_as(mem->isa, raw, in);
	return in;
}

/* Discards the code of an owned page that gets so many stores that slow stores cost more than
 * decoding again. Its records are emptied but not freed: a caller may be executing from them.
 */
static void code_detach_page(struct mem *mem, uint64_t pn, struct page *p)
{
	for (unsigned i = 0; i < CODE_PARCELS; i++)
		code_invalidate_inst(&p->code[i]);
	mem->spare = p->code;
	code_unlink_page(mem, p);
	if (code_entry(mem, pn)->page == pn)
		code_entry(mem, pn)->page = MEM_NO_TAG;
}

void code_written(struct mem *mem, uint64_t pn, struct page *p, unsigned off, size_t n)
{
	/* A long instruction may begin one parcel before. */
	size_t first = off < 2 ? 0 : (off - 2) / 2, last = (off + n - 1) / 2;
	for (size_t i = first; i <= last; i++)
		code_invalidate_inst(&p->code[i]);
	bool drop = ++p->code_stores >= CODE_STORES_MAX && !mem->spare;
	if (drop)
		code_detach_page(mem, pn, p);
	if (drop || off < 2 || off + n > LAST_PARCEL)
		for (unsigned i = 0; i < STRADDLES; i++)
			mem->straddle[i].pc = MEM_NO_TAG;
}
