#include "loader/instrument/cct.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/prof/oracle/oracle.h"
#include "loader/edit/moved_code.h"
#include "loader/instrument/metrics.h"

#define CCT_MAGIC UINT64_C(0x3354434343594343) /* "CCYCCCT3" */

static bool is_sound(const struct cct *c)
{
	for (uint64_t i = 0; i < c->head.procedures; i++) {
		const struct cct_procedure *p = &c->procedures[i];
		if ((i && p->at <= p[-1].at) || p->callees < CCT_METRICS || p->callees > p->size ||
		    p->sites > (p->size - p->callees) / 8 || p->first > c->head.sites ||
		    p->sites > c->head.sites - p->first || p->size > UINT32_MAX)
			return false;
	}
	return c->head.metrics > 0 && c->head.metrics <= 1 + CONTEXT_METRICS;
}

bool program_cct(const struct program *p, struct cct *out)
{
	uint64_t bytes;
	const uint8_t *section = program_section(p, CCT_SECTION, &bytes);
	*out = (struct cct){0};
	if (!section || bytes < sizeof out->head)
		return false;
	memcpy(&out->head, section, sizeof out->head);
	bytes -= sizeof out->head;
	if (out->head.magic != CCT_MAGIC ||
	    out->head.procedures > bytes / sizeof *out->procedures ||
	    out->head.sites !=
	            (bytes - out->head.procedures * sizeof *out->procedures) / sizeof *out->sites)
		return false;
	out->procedures = (const void *)(section + sizeof out->head);
	out->sites = (const void *)(section + sizeof out->head +
	                            out->head.procedures * sizeof *out->procedures);
	return is_sound(out);
}

/* ---- reading records ---- */
struct reader {
	const struct cct_source *from;
	struct cct cct;
	struct context_tree *t;
	uint32_t node_room, back_room;
	uint32_t *table;          /* [1 << table_log2], owned: node + 1 by its record's address */
	unsigned table_log2;
	uint64_t slot;            /* gCSP */
	/* nodes: the owner of that slot, and the last callee from it */
	uint32_t slot_owner, slot_callee;
	uint64_t heap_used;       /* end of the used part of the heap */
	/* The root record and ORACLE_ROOT() of the stream whose first procedures are read; 0:
	 * none. */
	uint64_t stream_record, stream;
	struct err *err;
};

static bool cct_report_damage(struct reader *r, const char *what, uint64_t at)
{
	return err_set(r->err, "the calling context tree is damaged: %s at 0x%" PRIx64, what, at);
}

static bool cct_report_no_memory(struct reader *r)
{
	return err_set(r->err, "out of memory for a calling context tree");
}

static bool cct_read_word(struct reader *r, uint64_t at, uint64_t *word)
{
	return r->from->read(r->from->ctx, at, word, sizeof *word) ||
	       cct_report_damage(r, "no memory", at);
}

static const struct cct_procedure *cct_lookup_procedure(const struct cct *c, uint64_t id)
{
	uint64_t lo = 0, hi = c->head.procedures;
	while (lo < hi) {
		const uint64_t mid = lo + (hi - lo) / 2;
		if (c->procedures[mid].at < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->head.procedures && c->procedures[lo].at == id ? &c->procedures[lo] : NULL;
}

static bool in_heap(const struct reader *r, uint64_t at, uint64_t bytes)
{
	return at >= r->cct.head.heap && at <= r->heap_used && bytes <= r->heap_used - at &&
	       at % 8 == 0;
}

/* Whether it is a record for a full heap, whose calls are counted apart. */
static bool cct_record_is_spare(const struct reader *r, uint64_t record)
{
	return record - r->cct.head.spares < r->cct.head.spare_bytes;
}

/* ---- nodes by their records ---- */
static uint32_t *find_entry(const struct reader *r, uint64_t record)
{
	const uint32_t mask = (UINT32_C(1) << r->table_log2) - 1;
	uint32_t i = (uint32_t)(record >> 3) * UINT32_C(2654435761) >> (32 - r->table_log2);
	while (r->table[i & mask] && r->t->nodes[r->table[i & mask] - 1].record != record)
		i++;
	return &r->table[i & mask];
}

static bool grow_table(struct reader *r)
{
	const unsigned log2 = r->table_log2 + 1;
	uint32_t *more = alloc_zeroed((size_t)1 << log2, sizeof *more);
	if (!more)
		return cct_report_no_memory(r);
	free(r->table);
	r->table = more;
	r->table_log2 = log2;
	for (uint32_t i = 0; i < r->t->count; i++)
		*find_entry(r, r->t->nodes[i].record) = i + 1;
	return true;
}

/* Grows a list; NULL if memory is out. */
static void *cct_grow_list(struct reader *r, void *list, uint32_t *room, size_t size)
{
	const uint32_t more_room = 2 * *room + 128;
	void *more = alloc_resize(list, more_room * size);
	if (more)
		*room = more_room;
	else
		cct_report_no_memory(r);
	return more;
}

static bool cct_append_node(struct reader *r, uint64_t record, uint32_t parent, uint64_t site)
{
	struct context_tree *t = r->t;
	if (t->count == r->node_room) {
		struct context *more = cct_grow_list(r, t->nodes, &r->node_room, sizeof *more);
		if (!more)
			return false;
		t->nodes = more;
	}
	if (t->count >= (UINT32_C(1) << r->table_log2) / 2 && !grow_table(r))
		return false;
	t->nodes[t->count] = (struct context){
		.site = site,
		.stream = r->stream,
		.record = record,
		.parent = parent,
		.depth = t->count ? t->nodes[parent].depth + 1 : 0,
		.one_path = CONTEXT_NONE,
	};
	*find_entry(r, record) = t->count + 1;
	t->count++;
	return true;
}

static bool add_back(struct reader *r, uint32_t from, uint32_t to, uint64_t site)
{
	struct context_tree *t = r->t;
	if (t->back_count == r->back_room) {
		struct context_back *more = cct_grow_list(r, t->backs, &r->back_room, sizeof *more);
		if (!more)
			return false;
		t->backs = more;
	}
	t->backs[t->back_count++] = (struct context_back){.from = from, .to = to, .site = site};
	return true;
}

/* ---- slots ---- */
/* The node of this record among `from` and its ancestors; 0: none. */
static uint32_t active_node(const struct reader *r, uint32_t from, uint64_t record)
{
	while (from && r->t->nodes[from].record != record)
		from = r->t->nodes[from].parent;
	return from;
}

/* Adds the target of a slot of node `from`: a new child, or a back edge to an active procedure. */
static bool take_record(struct reader *r, uint32_t from, uint64_t record, uint64_t site)
{
	uint64_t parent;
	if (cct_record_is_spare(r, record))
		return true;
	if (!in_heap(r, record, CCT_METRICS + 8))
		return cct_report_damage(r, "a record that is not in the heap", record);
	if (!cct_read_word(r, record + CCT_PARENT, &parent))
		return false;
	if (parent == (r->stream ? r->stream_record : r->t->nodes[from].record))
		return *find_entry(r, record)
		               ? cct_report_damage(r, "a record that is called twice", record)
		               : cct_append_node(r, record, from, site);
	const uint32_t up = active_node(r, from, record);
	return up ? add_back(r, from, up, site)
	          : cct_report_damage(r, "a record that is below another one", record);
}

/* Adds the record that was first in a list whose present first record occurs twice, because it is
 * just being moved there. A signal's handler may meanwhile have noted one of another list: that is
 * ignored. */
static bool take_moved(struct reader *r, uint32_t from, uint64_t site)
{
	uint64_t record, parent;
	if (!cct_read_word(r, r->cct.head.state + CCT_MOVED, &record))
		return false;
	if (!in_heap(r, record, CCT_METRICS + 8) || *find_entry(r, record))
		return !active_node(r, from, record) || take_record(r, from, record, site);
	if (!cct_read_word(r, record + CCT_PARENT, &parent))
		return false;
	return parent != r->t->nodes[from].record || take_record(r, from, record, site);
}

static bool cct_read_slot(struct reader *r, uint32_t from, uint64_t at, uint64_t site)
{
	uint64_t word, next = 0, length = 0, first = 0;
	const uint64_t most = r->cct.head.heap_bytes / 16;
	if (!cct_read_word(r, at, &word))
		return false;
	if (at == r->slot)
		r->slot_owner = from;
	const uint32_t before = r->t->count;
	bool ok = true;
	if ((word & CCT_TAGS) == CCT_RECORD)
		ok = take_record(r, from, word, site);
	for (bool list = (word & CCT_TAGS) == CCT_LIST; ok && list; length++) {
		const uint64_t element = length ? next : word - CCT_LIST;
		uint64_t record;
		if (length > most || !in_heap(r, element, 16))
			return cct_report_damage(r, "a list without an end", at);
		ok = cct_read_word(r, element, &record) && cct_read_word(r, element + 8, &next);
		list = ok && (record & CCT_TAGS) != CCT_OFFSET;
		if (list)
			ok = length && record == first ? take_moved(r, from, site)
			                               : take_record(r, from, record, site);
		first = length ? first : record;
	}
	if ((word & CCT_TAGS) == CCT_TAGS)
		return cct_report_damage(r, "a slot that is none", at);
	if (length > 1)
		r->t->nodes[from].size += 16 * (uint32_t)(length - 1);
	if (ok && at == r->slot && r->t->count > before)
		r->slot_callee = before;
	return ok;
}

/* Reads the record of a node, and its callees. */
static bool take_node(struct reader *r, uint32_t k)
{
	struct context *n = &r->t->nodes[k];
	const uint64_t record = n->record;
	uint64_t id;
	if (!cct_read_word(r, record + CCT_ID, &id))
		return false;
	const struct cct_procedure *p = k ? cct_lookup_procedure(&r->cct, id) : NULL;
	if (k ? !p : id != 0)
		return cct_report_damage(r, "a record of no procedure", record);
	n->callee = id;
	n->sites = p ? (uint32_t)p->sites : 1;
	n->size = p ? (uint32_t)p->size
	            : (uint32_t)cct_root_of(r->cct.head.metrics).slot + 8 + 16;
	if (!in_heap(r, record, n->size - (p ? 0 : 16)))
		return cct_report_damage(r, "a record that ends after the heap", record);
	if (!cct_read_word(r, record + CCT_METRICS, &n->calls))
		return false;
	for (uint64_t i = 1; i < r->cct.head.metrics; i++)
		if (!cct_read_word(r, record + CCT_METRICS + 8 * i, &n->metric[i - 1]))
			return false;
	if (!p)
		return cct_read_slot(r, k, record + CCT_METRICS + 8 * r->cct.head.metrics, 0);
	for (uint64_t i = 0; i < p->sites; i++)
		if (!cct_read_slot(r, k, record + p->callees + 8 * i, r->cct.sites[p->first + i]))
			return false;
	return true;
}

/* ---- the tree ---- */
static bool count_lost(struct reader *r)
{
	for (uint64_t i = 0; i < r->cct.head.procedures; i++) {
		uint64_t calls;
		if (!cct_read_word(r, r->cct.procedures[i].spare + CCT_METRICS, &calls))
			return false;
		r->t->lost += calls;
	}
	return true;
}

/* The original instruction that code at `now` belongs to; inserted code belongs to the next one. */
static uint64_t moved_around(const struct moved_code *m, uint64_t now)
{
	const uint64_t k = moved_index(m, now);
	return k < m->count ? m->pairs[2 * k + 1] : 0;
}

/* Finds the record of the program's current procedure, by gCSP: the procedure was just called, or
 * calls, or has called through others. */
static void find_current(struct reader *r, const struct program *p)
{
	struct moved_code moved;
	const struct context *n = r->t->nodes;
	const uint64_t old = r->from->pc && program_moved_code(p, &moved)
	                             ? moved_around(&moved, r->from->pc)
	                             : 0;
	uint64_t id = 0;
	for (uint64_t i = 0; old && i < r->cct.head.procedures && r->cct.procedures[i].at <= old;
	     i++)
		id = r->cct.procedures[i].at;
	if (!id || r->slot_owner == CONTEXT_NONE)
		return;
	uint32_t at = r->slot_callee != CONTEXT_NONE && n[r->slot_callee].callee == id
	                      ? r->slot_callee
	                      : r->slot_owner;
	while (at && n[at].callee != id)
		at = n[at].parent;
	r->t->current = at ? at : r->slot_owner;
}

/* Reads the first procedures of all streams: children of the root. */
static bool take_streams(struct reader *r)
{
	const struct cct_root o = cct_root_of(r->cct.head.metrics);
	uint64_t at = 0, most = r->cct.head.heap_bytes / (uint64_t)o.bytes;
	bool ok = !r->cct.head.words ||
	          cct_read_word(r, r->cct.head.state + CCT_STREAMS, &at);
	for (; ok && at; most--) {
		if (!most || !in_heap(r, at, (uint64_t)o.bytes))
			return cct_report_damage(r, "a stream's root that is not in the heap", at);
		r->stream_record = at;
		ok = cct_read_word(r, at + (uint64_t)o.key, &r->stream) &&
		     (oracle_is_root(r->stream) ||
		      cct_report_damage(r, "a stream without a number", at)) &&
		     cct_read_slot(r, 0, at + (uint64_t)o.slot, 0) &&
		     cct_read_word(r, at + (uint64_t)o.next, &at);
	}
	r->stream = 0;
	return ok;
}

bool cct_tree(const struct program *p, const struct cct_source *from, struct context_tree *out,
              struct err *err)
{
	struct reader r = {.from = from,
	                   .t = out,
	                   .slot_owner = CONTEXT_NONE,
	                   .slot_callee = CONTEXT_NONE,
	                   .err = err};
	uint64_t next = 0, end = 0, stack = 0;
	*out = (struct context_tree){.current = CONTEXT_NONE};
	if (!program_cct(p, &r.cct))
		return err_set(err, "the program builds no calling context tree; use --instrument "
		                    "cct, or one that `cyclops instrument --kind cct` has made");
	if (r.cct.head.metrics > 1)
		program_metrics(p, out->metric);
	const uint64_t csp = r.cct.head.words
	                             ? r.cct.head.words + cct_thread_offset(from->tp)
	                             : r.cct.head.state + CCT_CSP;
	/* A file has one stream's only, and no place where the program is. */
	bool ok = (!(from->pc || !r.cct.head.words) || cct_read_word(&r, csp, &r.slot)) &&
	          cct_read_word(&r, r.cct.head.state + CCT_HEAP_NEXT, &next) &&
	          cct_read_word(&r, r.cct.head.state + CCT_HEAP_END, &end) &&
	          cct_read_word(&r, r.cct.head.state + CCT_STACK, &stack);
	out->deep = stack & CCT_STACK_WAS_DEEP;
	if (ok && !next)
		return true; /* it has not begun */
	r.heap_used = next < end ? next : end;
	if (ok && (end != r.cct.head.heap + r.cct.head.heap_bytes || next < r.cct.head.heap))
		ok = cct_report_damage(&r, "the heap of another program", r.cct.head.state);
	ok = ok && grow_table(&r) && cct_append_node(&r, r.cct.head.heap, 0, 0) &&
	     take_streams(&r);
	for (uint32_t k = 0; ok && k < out->count; k++)
		ok = take_node(&r, k);
	ok = ok && (next <= end || count_lost(&r));
	if (ok)
		find_current(&r, p);
	else
		context_tree_free(out);
	free(r.table);
	return ok;
}
