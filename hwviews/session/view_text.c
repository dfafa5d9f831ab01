#include "hwviews/session/view_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/os/os.h"
#include "core/os/thread.h"
#include "hwviews/session/address.h"

size_t parts_shown(size_t n, const struct view_args *args, bool all)
{
	enum { ROWS = 20, SUMS = 2 };
	const size_t most = args->rows > SUMS ? args->rows - SUMS : ROWS;
	/* an "others" row for a single part would save nothing */
	return all || n <= most + 1 ? n : most;
}

const char *parts_sum_row(struct grid *g, size_t others, char *what, size_t n)
{
	grid_row(g, others ? KEY_OTHERS : KEY_TOTAL, others ? ROLE_DIM : ROLE_CURRENT);
	snprintf(what, n, others ? "%s others" : "total", GROUPED(others));
	return what;
}

void cell_due(struct grid *g, uint64_t now, uint64_t cycle)
{
	if (cycle == NO_CYCLE)
		grid_blank(g);
	else if (cycle <= now)
		grid_uint_text(g, ROLE_NUMBER, cycle, "now, %s", GROUPED(cycle));
	else
		grid_uint_text(g, ROLE_NUMBER, cycle, "%" PRIu64 " left, %s", cycle - now,
		               GROUPED(cycle));
}

void cell_since(struct grid *g, uint64_t now, uint64_t cycle)
{
	if (cycle == NO_CYCLE)
		grid_blank(g);
	else
		grid_uint_text(g, ROLE_DIM, cycle, "%" PRIu64 " ago, %s",
		               now > cycle ? now - cycle : 0, GROUPED(cycle));
}

void cell_seq(struct grid *g, const struct pipe *p, const struct uop *u)
{
	grid_uint_text(g, ROLE_PLAIN, u->seq, "%s", format_seq(p, u, BUFFER(32)));
}

void cell_inst(struct grid *g, const struct session *s, const struct uop *u)
{
	grid_text(g, ROLE_PLAIN, "%s", format_uop(s, u, BUFFER(128)));
}

void cell_slots(struct grid *g, enum role role, uint64_t slots, uint64_t width)
{
	char fraction[16];
	snprintf(fraction, sizeof fraction, "%.2f", (double)(slots % width) / (double)width);
	grid_double_text(g, role, (double)slots / (double)width, "%s%s", GROUPED(slots / width),
	                 fraction + 1);
}

void cell_cause(struct grid *g, const char *name)
{
	char text[40];
	snprintf(text, sizeof text, "%s", name);
	for (char *c = text; *c; c++)
		if (*c == '_')
			*c = ' ';
	grid_text(g, ROLE_PLAIN, "%s", text);
}

void cell_bar(struct grid *g, double share, enum role role)
{
	enum { BAR = 24 };
	char bar[BAR * 3 + 1] = "";
	int n = (int)(share * BAR + 0.5);
	for (int i = 0; i < n && i < BAR; i++)
		memcpy(bar + 3 * i, "█", 4);
	grid_text(g, role, "%s", bar);
}

void cell_addr(struct grid *g, const struct session *s, enum role role, uint64_t addr)
{
	grid_hex_text(g, role, addr, "%s", format_addr(s, addr, BUFFER(128)));
}

void cell_field(struct grid *g, const struct session *s, const struct uop *u, enum uop_field f,
                enum role role)
{
	uint64_t word;
	enum field_type type = uop_field_info[f].type;
	if (!uop_field(machine_pipe(s->machine), u, f, &word)) {
		grid_blank(g);
		return;
	}
	switch (type) {
	case FIELD_CYCLE:
	case FIELD_BYTES:
	case FIELD_NUMBER:
		grid_uint(g, role, word);
		break;
	case FIELD_ADDRESS:
	case FIELD_VALUE:
		grid_hex(g, role, word);
		break;
	case FIELD_PC:
		cell_addr(g, s, role, word);
		break;
	default:
		grid_text(g, role, "%s", field_text(s, type, word, BUFFER(128)));
		break;
	}
}

/* ---- arguments ---- */

bool arg_number(const char *text, const char *what, uint64_t max, uint64_t *out, struct err *err)
{
	char *end = NULL;
	errno = 0;
	unsigned long long v = isdigit((unsigned char)*text) ? strtoull(text, &end, 0) : 0;
	if (!end || *end || errno == ERANGE)
		return err_set(err, "'%s' is not a number: %s is one, such as 16 or 0x10", text,
		               what);
	if (v > max)
		return err_set(err, "%s %llu is out of range: 0 to %" PRIu64, what, v, max);
	*out = v;
	return true;
}

bool arg_address(const struct session *s, const char *text, uint64_t *out, struct err *err)
{
	return address_parse(s, text, NULL, out, err);
}

bool arg_count(const struct view_args *args, int most, const char *view, struct err *err)
{
	if (args->argc <= most)
		return true;
	return err_set(err, "view %s takes %s: '%s' is one too many", view,
	               most == 0   ? "no arguments"
	               : most == 1 ? "one argument" : "two arguments at most",
	               args->argv[most]);
}

/* ---- instructions in flight ---- */
bool has_threads(const struct session *s)
{
	return os_thread_count(machine_os_const(s->machine)) > 1;
}

struct grid_row *uop_grid_row(struct grid *g, const struct session *s, const struct uop *u)
{
	struct grid_row *row = grid_row(g, u->seq, uop_row_role(s, u));
	row->seq = u->seq;
	row->pc = u->pc;
	return row;
}

void fill_seq(struct grid *g, const void *uop_row)
{
	const struct uop_row *r = uop_row;
	cell_seq(g, machine_pipe(r->s->machine), r->u);
}

void fill_thread(struct grid *g, const void *uop_row)
{
	const struct uop_row *r = uop_row;
	grid_uint(g, ROLE_DIM, r->u->thread + UINT64_C(1));
}

void fill_inst(struct grid *g, const void *uop_row)
{
	const struct uop_row *r = uop_row;
	cell_inst(g, r->s, r->u);
}

void fill_pc(struct grid *g, const void *uop_row)
{
	const struct uop_row *r = uop_row;
	cell_field(g, r->s, r->u, UOP_FIELD_pc, ROLE_ADDRESS);
}

void fill_wait(struct grid *g, const void *uop_row)
{
	const struct uop_row *r = uop_row;
	const struct pipe *p = machine_pipe(r->s->machine);
	const struct why w = uop_why(p, r->u);
	grid_text(g, why_role(&w), "%s", why_cell(p, r->u, &w, BUFFER(96)));
}

void fill_wait_or_state(struct grid *g, const void *uop_row)
{
	const struct uop_row *r = uop_row;
	const struct pipe *p = machine_pipe(r->s->machine);
	const struct why w = uop_why(p, r->u);
	char buf[96];
	const char *reason = why_cell(p, r->u, &w, buf, sizeof buf);
	grid_text(g, why_role(&w), "%s",
	          w.id == WHY_COMMIT_TURN    ? "done"
	          : w.id == WHY_COMMIT_DELAY ? "commits next"
	          : *reason ? reason : format_state(r->u));
}

void fill_due(struct grid *g, const void *uop_row)
{
	const struct uop_row *r = uop_row;
	const struct pipe *p = machine_pipe(r->s->machine);
	const struct why w = uop_why(p, r->u);
	if (w.id == WHY_MOVING || w.id == WHY_COMMIT_DELAY)
		grid_blank(g);
	else
		cell_due(g, p->st->cycle, w.due);
}

void fill_state(struct grid *g, const void *uop_row)
{
	const struct uop_row *r = uop_row;
	grid_text(g, uop_state_role(r->u), "%s", format_state(r->u));
}
