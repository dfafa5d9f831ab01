#include "hwviews/oracle/oracle_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/session/loss_text.h"

const struct oracle *session_oracle(const struct session *s)
{
	return oracle_of(machine_pipe(s->machine)->prof);
}

const struct oracle *oracle_with(const struct session *s, enum oracle_table_id id,
                                 const char *parameter, struct err *err)
{
	const struct oracle *o = session_oracle(s);
	if (oracle_has(o, id))
		return o;
	err_set(err, "the oracle does not count %s: start with -o %s too", oracle_table_name(id),
	        parameter);
	return NULL;
}

ORDER(by_count, struct ranked, DOWN(count) ?: UP(e->key[0]) ?: UP(e->key[1]))

void oracle_rank_again(struct ranked *r, uint32_t n)
{
	sort_stable(r, n, sizeof *r, by_count);
}

struct ranked *oracle_rank(const struct oracle *o, enum oracle_table_id id, uint32_t *n,
                           struct err *err)
{
	*n = oracle_entries(o, id);
	struct ranked *r = alloc_bytes((*n + (size_t)1) * sizeof *r);
	if (!r) {
		err_set(err, "out of memory for the %u %s", *n, oracle_table_name(id));
		return NULL;
	}
	for (uint32_t i = 0; i < *n; i++) {
		const struct oracle_entry *e = oracle_entry(o, id, i);
		r[i] = (struct ranked){e->count, e};
	}
	oracle_rank_again(r, *n);
	return r;
}

bool oracle_row_limit(const struct view_args *args, int skip, uint64_t n, uint64_t *limit,
                      struct err *err)
{
	*limit = args->rows ? args->rows : n;
	if (args->argc > skip + 1)
		return err_set(err, "too many words; expected a number of rows, or all");
	if (args->argc > skip && strcmp(args->argv[skip], "all") == 0)
		*limit = n;
	else if (args->argc > skip && !arg_number(args->argv[skip], "rows", UINT32_MAX, limit, err))
		return false;
	*limit = *limit < n ? *limit : n;
	return true;
}

static void oracle_rows_append_text(char *to, size_t n, const char *text)
{
	size_t used = strlen(to);
	snprintf(to + used, n - used, "%s", text);
}

void oracle_summary(struct grid *g, const struct session *s, const struct oracle *o, uint64_t shown,
                    uint64_t all)
{
	char text[600] = "", part[120];
	const struct oracle_head *h = &o->head;
	if (shown < all) {
		snprintf(part, sizeof part, "%s of %s, ", GROUPED(shown), GROUPED(all));
		oracle_rows_append_text(text, sizeof text, part);
	}
	snprintf(part, sizeof part, "over %s instructions", GROUPED(h->insts));
	oracle_rows_append_text(text, sizeof text, part);
	if (h->functional) {
		snprintf(part, sizeof part, " (%s without timing)", GROUPED(h->functional));
		oracle_rows_append_text(text, sizeof text, part);
	}
	if (h->firmware) {
		snprintf(part, sizeof part, ", firmware's %s left out", GROUPED(h->firmware));
		oracle_rows_append_text(text, sizeof text, part);
	}
	const char *before = "; LOST ";
	for (unsigned id = 0; id < ORACLE_LOST_COUNT; id++) {
		if (!h->lost[id])
			continue;
		snprintf(part, sizeof part, "%s%s %s", before, GROUPED(h->lost[id]),
		         oracle_table_name(id));
		oracle_rows_append_text(text, sizeof text, part);
		before = ", ";
	}
	if (h->lost_all)
		oracle_rows_append_text(text, sizeof text,
		                        h->starved == h->lost_all ? ": memory was out"
		                                                  : ": oracle.memory is full");
	grid_summary(g, "%s%s", text, format_loss(s, LOSS_OF_CODE, BUFFER(200)));
}

void fill_code_address(struct grid *g, const void *code_row)
{
	grid_hex(g, ROLE_ADDRESS, ((const struct code_row *)code_row)->pc);
}

void fill_code_place(struct grid *g, const void *code_row)
{
	const struct code_row *r = code_row;
	grid_text(g, ROLE_ADDRESS, "%s", format_place(r->s, r->pc, BUFFER(96)));
}

void fill_code_inst(struct grid *g, const void *code_row)
{
	const struct code_row *r = code_row;
	struct code c;
	grid_text(g, ROLE_PLAIN, "%s",
	          code_at(r->s, r->pc, &c) ? code_text(r->s, &c, BUFFER(96)) : "");
}

void cell_share(struct grid *g, uint64_t part, uint64_t whole)
{
	double percent = whole ? 100 * (double)part / (double)whole : 0;
	grid_double_text(g, percent >= 5 ? ROLE_HOT : ROLE_NUMBER, percent, "%.2f%%", percent);
}

bool oracle_root_text(uint64_t site, char *buf, size_t n)
{
	const unsigned thread = oracle_root_thread(site), signal = oracle_root_signal(site);
	const char *name = signal                        ? os_signal_name(signal)
	                   : oracle_root_coroutine(site) ? "coroutine"
	                                                 : "";
	*buf = 0;
	if (!oracle_is_root(site))
		return false;
	if (thread)
		snprintf(buf, n, "(thread %u%s%s) ", thread, *name ? ", " : "", name);
	else
		snprintf(buf, n, "(%s) ", *name ? name : "thread");
	return true;
}
