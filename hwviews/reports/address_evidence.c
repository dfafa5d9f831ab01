/* Evidence from sampled addresses on whether a load could be done once for all. */
#include "hwviews/reports/value_hints.h"

#include "core/prof/values/hotlist.h"
#include "hwviews/values/value_rows.h"

enum { VALUES_MAX = 256 }; /* in a hotlist */

static unsigned address_evidence_access_size(const struct code *c)
{
	return op_info[c->inst.op].mem_bytes;
}

/* Estimated number of stores in list i that wrote to these bytes. */
static uint64_t address_evidence_count_stores_to(const struct hotlists *lists, uint32_t i,
                                                 unsigned width, uint64_t address, unsigned bytes)
{
	struct hot_estimate v[VALUES_MAX];
	const unsigned n = hotlists_top(lists, i, v, VALUES_MAX);
	double sum = 0;
	for (unsigned k = 0; k < n; k++)
		if (v[k].value < address + bytes && address < v[k].value + width)
			sum += v[k].estimate;
	return (uint64_t)(sum + 0.5);
}

static void find_stores(const struct session *s, const struct hotlists *lists, unsigned kind,
                        const struct code *load, struct address_evidence *e)
{
	uint64_t most = 0;
	for (uint32_t i = 0; i < hotlists_count(lists); i++) {
		const struct hotlist_info info = hotlists_info(lists, i);
		struct code c;
		if (info.kind != kind || !code_at(s, info.pc, &c) ||
		    !(inst_flags(&c.inst) & OPF_STORE))
			continue;
		const uint64_t n = address_evidence_count_stores_to(
			lists, i, address_evidence_access_size(&c), e->address,
			address_evidence_access_size(load));
		if (!n || (100 * n <= e->seen &&
		           !(code_leads_to(s, load->pc, c.pc) && code_leads_to(s, c.pc, load->pc))))
			continue;
		e->stores += n;
		if (n > most) {
			most = n;
			e->store = c.pc;
		}
	}
}

struct address_evidence address_evidence(const struct session *s, const struct code *c)
{
	struct err none;
	struct hot_estimate top;
	const struct value_daemon *d = session_values(s, &none);
	const int kind = d ? value_daemon_kind(d, "addresses", &none) : -1;
	struct address_evidence e = {0};
	if (kind < 0)
		return e;
	const struct hotlists *lists = value_daemon_main(d);
	const uint32_t i = hotlists_find(lists, c->pc, (unsigned)kind);
	if (i == UINT32_MAX || !hotlists_top(lists, i, &top, 1))
		return e;
	const struct hotlist_info info = hotlists_info(lists, i);
	e.seen = info.seen;
	e.same = info.probability >= 1 && 1000 * top.count > 995 * info.seen;
	e.address = top.value;
	if (e.same)
		find_stores(s, lists, (unsigned)kind, c, &e);
	return e;
}
