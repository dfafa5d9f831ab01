#include "hwviews/values/vsample_rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/prof/common/prof.h"
#include "core/prof/values/vsample.h"
#include "hwviews/program/code_lines.h"

static const struct prof *prof_of(const struct session *s)
{
	return machine_pipe(s->machine)->prof;
}

const struct vsample_state *session_vsample(const struct session *s)
{
	return prof_of(s)->vsample->st;
}

bool vsample_runs(const struct session *s)
{
	return session_vsample(s)->phase != VSAMPLE_AWAY;
}

bool vsample_interprets(const struct session *s)
{
	const struct vsample_state *v = session_vsample(s);
	return vsample_runs(s) && (v->left || v->place || v->armed || v->phase != VSAMPLE_ENTERED);
}

uint64_t vsample_cycles_left(const struct session *s)
{
	const uint64_t now = machine_cycle(s->machine), end = session_vsample(s)->due + 1;
	return end > now ? end - now : 0;
}

static void say_cycles(struct textbuf *t, const struct session *s)
{
	const uint64_t left = vsample_cycles_left(s);
	textbuf_add(t, "%s cycle%s left (cycle %s)", GROUPED(left), left == 1 ? "" : "s",
	            GROUPED(session_vsample(s)->due + 1));
}

static void say_addr(struct textbuf *t, const struct session *s, uint64_t addr)
{
	textbuf_add(t, "%s", format_addr(s, addr, BUFFER(128)));
}

/* ---- activity ---- */
/* Index, from 1 on, of the instruction being interpreted, among those to be recorded; 0: it is
 * skipped. */
static uint64_t vsample_rows_interpreted_index(const struct session *s)
{
	const struct vsample_state *v = session_vsample(s);
	return v->skip ? 0
	               : (uint64_t)CONFIG(machine_config(s->machine), vsample_length) - v->left + 1;
}

/* "walk+0x10, 3 of 4" */
static void vsample_rows_append_position(struct textbuf *t, const struct session *s)
{
	const uint64_t place = vsample_rows_interpreted_index(s);
	say_addr(t, s, session_vsample(s)->pc);
	if (place)
		textbuf_add(t, ", %" PRIu64 " of %" PRId64, place,
		            CONFIG(machine_config(s->machine), vsample_length));
	else
		textbuf_add(t, ", unrecorded, %" PRIu64 " before the first that is recorded",
		            session_vsample(s)->skip);
}

char *format_vsample(const struct session *s, char *buf, size_t n)
{
	const struct vsample_state *v = session_vsample(s);
	struct textbuf t = {buf, n, 0};
	buf[0] = '\0';
	switch ((enum vsample_phase)v->phase) {
	case VSAMPLE_AWAY:
		if (v->armed)
			textbuf_add(&t, "comes back in %" PRIu64 " cycle%s", v->user_left,
			            v->user_left == 1 ? "" : "s");
		else
			textbuf_add(&t, "%s instructions to go",
			            GROUPED(vsample_distance(prof_of(s))));
		break;
	case VSAMPLE_ENTERED: textbuf_add(&t, "interrupt"); break;
	case VSAMPLE_STARTS: textbuf_add(&t, "about to go on"); break;
	case VSAMPLE_INST:
		textbuf_add(&t, "interprets ");
		vsample_rows_append_position(&t, s);
		break;
	case VSAMPLE_LOAD:
		textbuf_add(&t, "waits for the data of ");
		vsample_rows_append_position(&t, s);
		break;
	case VSAMPLE_RECORD: textbuf_add(&t, "records a tuple"); break;
	case VSAMPLE_UPCALL: textbuf_add(&t, "makes an upcall"); break;
	default: textbuf_add(&t, "returns from its upcall"); break;
	}
	return buf;
}

char *format_vsample_turn(const struct session *s, char *buf, size_t n)
{
	const uint64_t countdown = session_vsample(s)->countdown;
	const bool bounces =
		CONFIG(machine_config(s->machine), vsample_method) == VSAMPLE_BY_BOUNCE;
	const char *what = bounces ? "bounces back" : "interprets";
	if (!countdown)
		snprintf(buf, n, "none %s", what);
	else if (countdown == 1)
		snprintf(buf, n, "it %s", what);
	else if (countdown == 2)
		snprintf(buf, n, "the one after it %s", what);
	else
		snprintf(buf, n, "the %" PRIu64 "th from now %s", countdown, what);
	if (countdown == 3)
		snprintf(buf, n, "the third from now %s", what);
	return buf;
}

static void say_inst(struct textbuf *t, const struct session *s, uint64_t pc)
{
	struct code c;
	char text[128];
	if (code_at(s, pc, &c))
		textbuf_add(t, " %s", code_text(s, &c, text, sizeof text));
}

static void say_interpreting(struct textbuf *t, const struct session *s)
{
	const struct vsample_state *v = session_vsample(s);
	const uint64_t place = vsample_rows_interpreted_index(s);
	textbuf_add(t, "the value sampler's handler interprets ");
	say_addr(t, s, v->pc);
	say_inst(t, s, v->pc);
	if (place)
		textbuf_add(t, ", %" PRIu64 " of %" PRId64, place,
		            CONFIG(machine_config(s->machine), vsample_length));
	else
		textbuf_add(t, ", which is not recorded");
	if (v->phase == VSAMPLE_LOAD)
		textbuf_add(t, ", and waits for its data: %s%s",
		            v->missed_tlb ? "TLB miss, then " : "",
		            format_level((enum mem_level)v->level));
	textbuf_add(t, ", ");
	say_cycles(t, s);
}

static void say_away(struct textbuf *t, const struct session *s)
{
	const struct vsample_state *v = session_vsample(s);
	char turn[64];
	if (v->armed)
		textbuf_add(t,
		            "the value sampler has sent the program off from %s with %" PRIu64
		            " cycles of its own; %" PRIu64 " of them are left until it comes back",
		            format_addr(s, v->block.pc[0], turn, sizeof turn), v->user_cycles,
		            v->user_left);
	else
		textbuf_add(t,
		            "the value sampler's next interrupt comes after %s more of %s "
		            "instructions; %s",
		            GROUPED(vsample_distance(prof_of(s))), GROUPED(v->interval),
		            format_vsample_turn(s, turn, sizeof turn));
}

char *why_vsample(const struct session *s, char *buf, size_t n)
{
	const struct vsample_state *v = session_vsample(s);
	struct textbuf t = {buf, n, 0};
	buf[0] = '\0';
	switch ((enum vsample_phase)v->phase) {
	case VSAMPLE_AWAY: say_away(&t, s); return buf;
	case VSAMPLE_INST:
	case VSAMPLE_LOAD: say_interpreting(&t, s); return buf;
	case VSAMPLE_ENTERED:
		textbuf_add(&t, "the value sampler's interrupt holds the program before ");
		say_addr(&t, s, v->sampled_pc);
		textbuf_add(&t, vsample_interprets(s) ? ", to interpret it from there, "
		                                      : ", and only counts, ");
		break;
	case VSAMPLE_STARTS:
		textbuf_add(&t, "the value sampler's handler is about to go on with the program, ");
		break;
	case VSAMPLE_RECORD:
		textbuf_add(&t, "the value sampler's handler records a tuple, ");
		break;
	case VSAMPLE_UPCALL:
		textbuf_add(&t, "the value sampler sends the program to its library, ");
		break;
	default: textbuf_add(&t, "the value sampler's library returns to the program, "); break;
	}
	say_cycles(&t, s);
	return buf;
}

/* ---- values ---- */
char *format_value(uint64_t value, char *buf, size_t n)
{
	const int64_t small = (int64_t)value;
	if (small >= -(1 << 12) && small < 1 << 12)
		snprintf(buf, n, "%" PRId64, small);
	else if (small < 0 && small >= -(INT64_C(1) << 40))
		snprintf(buf, n, "-0x%" PRIx64, 0 - value);
	else
		snprintf(buf, n, "0x%" PRIx64, value);
	return buf;
}

char *format_register_value(unsigned reg, uint64_t value, char *buf, size_t n)
{
	double d;
	float f;
	const uint32_t low = (uint32_t)value;
	if (reg < REG_F0 || reg >= REG_F0 + 32)
		return format_value(value, buf, n);
	memcpy(&d, &value, sizeof d);
	memcpy(&f, &low, sizeof f);
	snprintf(buf, n, "%.6g", value >> 32 == UINT32_MAX ? (double)f : d);
	return buf;
}

char *share_bar(double share, unsigned cells, char *buf, size_t n)
{
	static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	const double all = share * cells * 8;
	unsigned full = all < 0 ? 0 : all >= 8.0 * cells ? 8 * cells : (unsigned)(all + 0.5);
	size_t used = 0;
	if (!full && share > 0)
		full = 1;
	buf[0] = '\0';
	for (unsigned i = 0; i < cells && used + 4 <= n; i++, full -= full < 8 ? full : 8)
		used += (size_t)snprintf(buf + used, n - used, "%s",
		                         full >= 8 ? "█" : eighths[full]);
	return buf;
}

/* ---- recorded tuples ---- */
unsigned vsample_recorded(const struct session *s, const struct vsample_tuple **out, unsigned most)
{
	const struct prof *d = prof_of(s);
	const uint64_t sequence = STAT(d->stats, vsample_interpretations),
		       last = d->vsample->st->serial;
	const uint64_t length = (uint64_t)CONFIG(machine_config(s->machine), vsample_length);
	uint64_t oldest = last + 1;
	unsigned n = 0;
	/* Lost tuples belong to the interpretation if tuples before or after them do. */
	for (uint64_t serial = last; serial && last - serial < length; serial--) {
		const struct vsample_tuple *t = vsample_find(d, serial);
		if (t && t->sequence != sequence)
			break;
		if (t)
			oldest = serial;
	}
	uint64_t from = oldest;
	if (last + 1 - oldest > most)
		from = last + 1 - most;
	for (uint64_t serial = from; serial <= last; serial++)
		out[n++] = vsample_find(d, serial);
	return n;
}

char *format_vsample_inst(const struct session *s, const struct vsample_tuple *t, char *buf,
                          size_t n)
{
	struct inst in;
	struct code c;
	inst_decode(t->word, &in);
	const unsigned prefix =
		code_at(s, t->pc, &c) && c.prefix && c.inst.raw == t->word ? c.prefix : 0;
	int used = prefix ? snprintf(buf, n, "pi.%u ", c.type) : 0;
	format_inst(s, &in, t->pc + prefix, buf + used, n - (size_t)used);
	return buf;
}

/* Prints a register's value in its readable form: a floating-point number, a small number, else
 * bits. */
static void vsample_print_value(struct textbuf *t, const char *before, unsigned reg, bool unknown,
                                uint64_t value)
{
	textbuf_add(t, "%s%s %s", before, reg_name(reg),
	            unknown ? "?" : format_register_value(reg, value, BUFFER(64)));
}

char *format_vsample_values(const struct session *s, const struct vsample_tuple *tuple, char *buf,
                          size_t n)
{
	struct textbuf t = {buf, n, 0};
	struct inst in;
	inst_decode(tuple->word, &in);
	const unsigned capture = prof_of(s)->vsample->capture->fields[in.op];
	const unsigned source[3] = {in.rs1, in.rs2, in.rs3};
	const bool memory = op_info[in.op].mem_bytes;
	buf[0] = '\0';
	for (unsigned i = 0; i < 3 && (capture & VSAMPLE_OPERANDS); i++)
		if (source[i] != REG_ZERO)
			vsample_print_value(&t, t.used ? ", " : "", source[i],
			                    tuple->unknown & VSAMPLE_NO_OPERAND << i,
			                    tuple->operand[i]);
	if ((capture & VSAMPLE_RESULT) && in.rd != REG_SINK)
		vsample_print_value(&t, t.used ? " → " : "→ ", in.rd,
		                    tuple->unknown & VSAMPLE_NO_RESULT, tuple->result);
	if ((capture & VSAMPLE_ADDRESS) && memory) {
		textbuf_add(&t, "%sat ", t.used ? ", " : "");
		if (tuple->unknown & VSAMPLE_NO_ADDRESS)
			textbuf_add(&t, "?");
		else
			say_addr(&t, s, tuple->address);
	}
	if (tuple->latency)
		textbuf_add(&t, "%s%s%s%" PRIu32 " cycle%s", t.used ? ", " : "",
		            tuple->level ? format_level((enum mem_level)tuple->level) : "",
		            tuple->level ? ", " : "", tuple->latency,
		            tuple->latency == 1 ? "" : "s");
	if (capture & VSAMPLE_CONTEXT) {
		vsample_print_value(&t, t.used ? ", " : "", REG_RA, tuple->unknown & VSAMPLE_NO_RA,
		                    tuple->ra);
		textbuf_add(&t, tuple->unknown & VSAMPLE_NO_TOP ? ", top ?" : ", top 0x%" PRIx64,
		            tuple->top);
	}
	return buf;
}
