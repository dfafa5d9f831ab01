/* Microinstructions as text: the operands and results of each operation. */
#include "hwviews/cop/cop_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/prof/common/prof.h"
#include "core/prof/cop/micro_code.h"

enum unit { UNIT_CAM, UNIT_DATA, UNIT_ALU, UNIT_INDEX, UNIT_BRANCH }; /* in the order of the text */

static const char *const unit_name[MICRO_OPS] = {"cam", "data", "alu", "index", "branch"};

static void cop_rows_append_comma(struct textbuf *w)
{
	if (w->used)
		textbuf_add(w, ", ");
}

/* Fills in an operation's unit and text. Returns the buffer for its values. */
static struct textbuf cop_rows_begin_op_text(struct micro_op_text *op, const char *unit,
                                             const char *text, size_t n)
{
	op->unit = unit;
	op->values[0] = '\0';
	snprintf(op->text, sizeof op->text, "%.*s", (int)n, text);
	return (struct textbuf){op->values, sizeof op->values, 0};
}

static bool cop_rows_inst_uses_unit(const struct micro_inst *in, enum unit u)
{
	switch (u) {
	case UNIT_CAM: return in->cam_op;
	case UNIT_DATA: return in->data_op;
	case UNIT_ALU: return in->alu_op;
	case UNIT_INDEX: return in->index_op;
	default: return in->branch_if != MB_NEVER || in->branch_p;
	}
}

/* ---- values ---- */
char *format_micro_value(const struct session *s, uint64_t value, char *buf, size_t n)
{
	enum { DECIMAL = 1 << 16 };
	const struct symbol *sym = program_symbol_at(s->program, value);
	char place[128];
	format_place(s, value, place, sizeof place);
	if (value < DECIMAL)
		snprintf(buf, n, "%" PRIu64, value);
	else if (*place && (!sym || sym->size)) /* a symbol without size matches any address */
		snprintf(buf, n, "0x%" PRIx64 " %s", value, place);
	else
		snprintf(buf, n, "0x%" PRIx64, value);
	return buf;
}

char *format_micro_register(const struct session *s, char letter, uint64_t value, char *buf,
                            size_t n)
{
	enum { DECIMAL = 1 << 16 };
	if (letter == 't')
		return format_micro_at(s, (unsigned)value, buf, n);
	if (letter != 'k')
		return format_micro_value(s, value, buf, n);
	snprintf(buf, n, value < DECIMAL ? "%" PRIu64 : "0x%" PRIx64, value);
	return buf;
}

static void say_register(struct textbuf *w, const struct session *s, char letter, unsigned number)
{
	const char *name = micro_register_name(session_micro_image(s), letter, number);
	if (*name)
		textbuf_add(w, "%s", name);
	else
		textbuf_add(w, "%c%u", letter, number);
}

/* A register that was written. */
static void say_written(struct textbuf *w, const struct session *s, char letter, unsigned wrote)
{
	if (!wrote)
		return;
	cop_rows_append_comma(w);
	say_register(w, s, letter, wrote - 1);
	textbuf_add(w, " = %s",
	            format_micro_value(
			    s, micro_register_value(session_cop(s)->micro.st, letter, wrote - 1),
			    BUFFER(160)));
}

/* A source and its value; literals and zero have theirs in the text. */
static void say_source(struct textbuf *w, const struct session *s, const struct cop_record *r,
                       unsigned number)
{
	const struct micro_source_info *row =
		micro_source_find(micro_sources, micro_source_count, number);
	if (!row || number == MS_ZERO || number == MS_LITERAL)
		return;
	cop_rows_append_comma(w);
	if (row->count > 1)
		say_register(w, s, *row->name, number - row->number);
	else
		textbuf_add(w, "%s", row->name);
	textbuf_add(w, " %s", format_micro_register(s, row->count > 1 ? *row->name : 0,
	                                  micro_source_value(&session_cop(s)->micro, r, 0, number),
	                                  BUFFER(160)));
}

static void say_small(struct textbuf *w, const struct session *s, char letter, unsigned number,
                      unsigned value)
{
	cop_rows_append_comma(w);
	say_register(w, s, letter, number);
	textbuf_add(w, " %u", value);
}

/* ---- ahead ---- */
static void cam_ahead(struct textbuf *w, const struct session *s, const struct micro_inst *in,
                      const struct cop_record *r)
{
	const unsigned uses = micro_cam_uses(in);
	if (uses & U_I)
		say_small(w, s, 'x', in->cam_index, session_cop(s)->micro.st->x[in->cam_index]);
	if (uses & U_S)
		say_source(w, s, r, in->cam_source);
}

static unsigned lane_of(const struct micro_inst *in, uint32_t word)
{
	const unsigned bits = micro_width_bits(in->data_width), shift = in->data_lane * bits;
	return (unsigned)((uint64_t)word >> shift & ((UINT64_C(1) << bits) - 1));
}

static void data_ahead(struct textbuf *w, const struct session *s, const struct micro_inst *in,
                       const struct cop_record *r, const struct micro_operands *o)
{
	textbuf_add(w, "word %" PRIu32, o->address);
	if (o->address >= session_cop(s)->micro.data_n)
		textbuf_add(w, " of %u: a fault", session_cop(s)->micro.data_n);
	if (micro_data_uses(in) & U_S)
		say_source(w, s, r, in->data_source);
}

static void index_ahead(struct textbuf *w, const struct session *s, const struct micro_inst *in,
                        const struct cop_record *r, const struct micro_operands *o)
{
	const unsigned uses = micro_index_uses(in);
	if (uses & U_A)
		say_small(w, s, 'x', in->index_a, o->xa);
	if (!(uses & U_B))
		return;
	if (in->index_b < MIS_B)
		say_small(w, s, 'x', in->index_b, o->xb);
	else if (in->index_b < MIS_LITERAL)
		say_small(w, s, 'b', in->index_b - MIS_B, o->xb);
	else if (in->index_b == MIS_A)
		say_source(w, s, r, in->alu_a);
	else if (in->index_b == MIS_MATCH)
		textbuf_add(w, "%smatch %u", w->used ? ", " : "", o->xb);
}

static void branch_ahead(struct textbuf *w, const struct session *s, const struct micro_inst *in)
{
	char place[64];
	if (in->branch_to == MTO_TARGET)
		textbuf_add(w, "%s, ",
		            format_micro_at(
				    s,
				    session_cop(s)->micro.st->t[in->branch_offset % MICRO_TARGETS],
				    place, sizeof place));
	textbuf_add(w, "predicted %staken", in->branch_p ? "" : "not ");
}

/* Splits a microinstruction's text, and calls fn for each operation. */
static unsigned each_op(const struct session *s, struct micro_word word, unsigned at,
                        struct micro_op_text out[MICRO_OPS],
                        void (*fn)(struct textbuf *w, enum unit u, void *ctx), void *ctx)
{
	const struct micro_inst in = micro_unpack(word);
	char text[MICRO_TEXT_MAX];
	const char *from = format_micro(s, word, at, text, sizeof text);
	unsigned n = 0;
	if (micro_invalid(&in))
		return 0;
	for (enum unit u = UNIT_CAM; u <= UNIT_BRANCH; u++) {
		if (!cop_rows_inst_uses_unit(&in, u))
			continue;
		const char *bar = strstr(from, " | ");
		const size_t length = bar ? (size_t)(bar - from) : strlen(from);
		struct textbuf w = cop_rows_begin_op_text(&out[n++], unit_name[u], from, length);
		fn(&w, u, ctx);
		from = bar ? bar + 3 : from + length;
	}
	return n;
}

struct ahead {
	const struct session *s;
	const struct micro_inst in;
	const struct cop_record *r;
	struct micro_operands o;
};

static void say_ahead(struct textbuf *w, enum unit u, void *ctx)
{
	const struct ahead *a = ctx;
	switch (u) {
	case UNIT_CAM: cam_ahead(w, a->s, &a->in, a->r); break;
	case UNIT_DATA: data_ahead(w, a->s, &a->in, a->r, &a->o); break;
	case UNIT_ALU:
		if (micro_alu_uses(&a->in) & U_A)
			say_source(w, a->s, a->r, a->in.alu_a);
		if ((micro_alu_uses(&a->in) & U_B) && a->in.alu_b != a->in.alu_a)
			say_source(w, a->s, a->r, a->in.alu_b);
		break;
	case UNIT_INDEX: index_ahead(w, a->s, &a->in, a->r, &a->o); break;
	case UNIT_BRANCH: branch_ahead(w, a->s, &a->in); break;
	}
}

unsigned micro_ops_ahead(const struct session *s, const struct micro_slot *slot,
                         struct micro_op_text out[MICRO_OPS])
{
	const struct prof *d = machine_pipe(s->machine)->prof;
	if (slot->kind != MICRO_SLOT_CODE || !d->cop->st->count)
		return 0;
	struct ahead a = {.s = s, .in = micro_unpack(slot->word), .r = cop_record_at(d, 0)};
	if (!micro_invalid(&a.in))
		micro_read_operands(&d->cop->micro, &a.in, a.r, &a.o);
	return each_op(s, slot->word, slot->at, out, say_ahead, &a);
}

/* ---- done ---- */
struct done {
	const struct session *s;
	const struct micro_inst in;
	const struct micro_trace *t;
	unsigned conditions;
};

static void cam_done(struct textbuf *w, const struct done *d)
{
	const struct micro *m = &session_cop(d->s)->micro;
	switch ((enum micro_cam_op)d->in.cam_op) {
	case MC_MATCH:
	case MC_FREE:
		textbuf_add(w, d->conditions & MICRO_HIT ? "hit" : "miss");
		say_written(w, d->s, 'x', d->t->wrote_x[1]);
		break;
	case MC_READ: say_written(w, d->s, 'v', d->t->wrote_v[1]); break;
	case MC_WRITE:
		textbuf_add(w, "entry %" PRIu32 " = %s", d->t->cam_index,
		            format_micro_value(d->s, m->cam[d->t->cam_index], BUFFER(160)));
		break;
	case MC_INVALIDATE: textbuf_add(w, "entry %" PRIu32 " is off", d->t->cam_index); break;
	case MC_INVALIDATE_ALL: textbuf_add(w, "all entries are off"); break;
	case MC_NONE: case MC_COUNT: break;
	}
}

static void data_done(struct textbuf *w, const struct done *d)
{
	const unsigned was = lane_of(&d->in, d->t->data_before),
		       is = lane_of(&d->in, d->t->data_after);
	char b[160];
	textbuf_add(w, "word %" PRIu32 ": %s", d->t->data_address,
	            format_micro_value(d->s, was, BUFFER(160)));
	if (d->in.data_op != MD_READ)
		textbuf_add(w, " → %s", format_micro_value(d->s, is, b, sizeof b));
	say_written(w, d->s, 'v', d->t->wrote_v[2]);
	textbuf_add(w, "%s%s", d->conditions & MICRO_CSAT ? ", csat" : "",
	            d->conditions & MICRO_CZ ? ", cz" : "");
}

static void alu_done(struct textbuf *w, const struct done *d)
{
	const bool compares =
		d->in.alu_op == MA_CMP || d->in.alu_op == MA_SUB || d->in.alu_op == MA_SSUB;
	say_written(w, d->s, 'v', d->t->wrote_v[0]);
	cop_rows_append_comma(w);
	textbuf_add(w, d->conditions & MICRO_Z ? "z" : "nz");
	if (compares)
		textbuf_add(w, d->conditions & MICRO_LT ? ", lt" : ", ge");
	if (d->conditions & MICRO_SAT)
		textbuf_add(w, ", sat");
}

static void index_done(struct textbuf *w, const struct done *d)
{
	say_written(w, d->s, 'x', d->t->wrote_x[0]);
	cop_rows_append_comma(w);
	textbuf_add(w, d->conditions & MICRO_XZ ? "xz" : "xnz");
	if (d->in.index_op == MX_CMP || d->in.index_op == MX_SUB)
		textbuf_add(w, d->conditions & MICRO_XLT ? ", xlt" : ", xge");
}

static void cop_rows_append_unit_result(struct textbuf *w, enum unit u, void *ctx)
{
	const struct done *d = ctx;
	if (d->t->fault) {
		textbuf_add(w, "not performed");
		return;
	}
	switch (u) {
	case UNIT_CAM: cam_done(w, d); break;
	case UNIT_DATA: data_done(w, d); break;
	case UNIT_ALU: alu_done(w, d); break;
	case UNIT_INDEX: index_done(w, d); break;
	case UNIT_BRANCH:
		textbuf_add(w, "%staken, %s", d->t->taken ? "" : "not ",
		            d->t->wrong ? "mispredicted: two clocks lost" : "as predicted");
		break;
	}
}

unsigned micro_ops_done(const struct session *s, const struct micro_trace *t,
                        struct micro_op_text out[MICRO_OPS])
{
	struct done d = {.s = s, .in = micro_unpack(t->word), .t = t,
	                 .conditions = session_cop(s)->micro.st->conditions};
	return t->kind == MICRO_SLOT_CODE
	               ? each_op(s, t->word, t->at, out, cop_rows_append_unit_result, &d)
	               : 0;
}

bool cop_mark(const struct session *s, const struct uop *u)
{
	return session_cop(s) && u->state != UOP_FREE && u->state != UOP_FETCHED &&
	       cop_tagged(machine_pipe(s->machine)->prof, u);
}

bool cop_executed_now(const struct session *s)
{
	const struct cop *c = session_cop(s);
	return c->st->executed_end && c->st->executed_end == machine_pipe(s->machine)->st->cycle;
}
