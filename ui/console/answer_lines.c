#include "ui/console/answer_lines.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/pipe/pipe.h"
#include "hwviews/grid/field_text.h"
#include "hwviews/session/uop_fields.h"
#include "hwviews/why/waits.h"
#include "hwviews/why/why_text.h"
#include "scripting/script.h"
#include "ui/console/answer_inst_history.h"
#include "ui/console/here.h"
#include "ui/console/motion.h"
#include "ui/console/stops.h"
#include "ui/render/render_json.h"
#include "ui/render/stats_out.h"

/* Consecutive output of the program to one file descriptor. */
struct piece {
	int fd;
	char *text; /* owned */
	size_t n;
};

struct answer_lines {
	FILE *f;
	struct piece *pieces; /* owned; [count] */
	size_t count;
	/* output of the current command, or else output after the last one */
	FILE *said;
	char *behind;         /* owned: output after the last command; [behind_n] */
	size_t behind_n;
};

struct answer_lines *answer_lines_new(FILE *f)
{
	struct answer_lines *a = alloc_zeroed(1, sizeof *a);
	if (!a)
		return NULL;
	a->f = f;
	a->said = alloc_stream(&a->behind, &a->behind_n);
	if (a->said)
		return a;
	free(a);
	return NULL;
}

void answer_lines_say(void *ctx, const char *text, size_t n)
{
	const struct answer_lines *a = ctx;
	fwrite(text, 1, n, a->said);
}

void answer_lines_output(struct answer_lines *a, int fd, const void *bytes, size_t n)
{
	struct piece *last = a->count ? &a->pieces[a->count - 1] : NULL;
	if (!last || last->fd != fd) {
		struct piece *more = alloc_resize(a->pieces, (a->count + 1) * sizeof *more);
		if (!more)
			return;
		a->pieces = more;
		last = &more[a->count++];
		*last = (struct piece){.fd = fd};
	}
	char *text = alloc_resize(last->text, last->n + n + 1);
	if (!text)
		return;
	memcpy(text + last->n, bytes, n);
	last->text = text;
	last->n += n;
	text[last->n] = '\0';
}

/* ---- parts ---- */
/* Writes a key, and its value or null. */
static void put_if(FILE *f, const char *key, bool there, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
static void put_if(FILE *f, const char *key, bool there, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	fprintf(f, ", \"%s\": ", key);
	vfprintf(f, there ? fmt : "null", args);
	va_end(args);
}

static void put_output(struct answer_lines *a)
{
	fputs(", \"output\": ", a->f);
	for (size_t i = 0; i < a->count; i++) {
		fprintf(a->f, "%s{\"fd\": %d, \"text\": ", i ? ", " : "[", a->pieces[i].fd);
		render_json_bytes(a->f, a->pieces[i].text ? a->pieces[i].text : "", a->pieces[i].n);
		fputc('}', a->f);
		free(a->pieces[i].text);
	}
	fputs(a->count ? "]" : "null", a->f);
	a->count = 0;
}

static void put_said(FILE *f, const char *text)
{
	const bool there = text && *text;
	put_if(f, "text", there, "[");
	if (!there)
		return;
	for (const char *s = text; *s;) {
		const size_t n = strcspn(s, "\n");
		fputs(s == text ? "" : ", ", f);
		render_json_bytes(f, s, n);
		s += n + (s[n] == '\n');
	}
	fputc(']', f);
}

static void put_field(FILE *f, const char *name, enum field_type type, uint64_t word)
{
	const struct field_value v = field_value(type, word);
	render_json_text(f, name);
	if (type == FIELD_ADDRESS || type == FIELD_PC)
		fprintf(f, ": \"0x%" PRIx64 "\"", word);
	else if (v.kind == FIELD_IS_INT)
		fprintf(f, ": %" PRIu64, v.word);
	else if (v.kind == FIELD_IS_BOOL)
		fputs(v.word ? ": true" : ": false", f);
	else {
		fputs(": ", f);
		render_json_or_null(f, v.text);
	}
}

/* Writes an event; NULL: none. */
static void answer_lines_write_event(FILE *f, const struct event *ev)
{
	put_if(f, "event", ev, "{\"name\": ");
	if (!ev)
		return;
	const struct event_info *info = &event_info[ev->id];
	render_json_text(f, info->name);
	for (unsigned i = 0; i < info->field_count; i++) {
		fputs(", ", f);
		put_field(f, info->fields[i].name, info->fields[i].type, ev->word[i]);
	}
	fputc('}', f);
}

static const char *const reason_name[] = {
	[STOPPED_DONE] = "done",       [STOPPED_BREAK] = "stop point",
	[STOPPED_EXIT] = "end",        [STOPPED_INTERRUPT] = "interrupt",
	[STOPPED_BEGIN] = "beginning", [STOPPED_INPUT] = "input",
	[STOPPED_ASKED] = "asked",     [STOPPED_STALLED] = "stalled",
	[STOPPED_STARVED] = "starved",
};

static const char *kind_of_stop(const struct stop_point *sp)
{
	if (!sp || sp->kind == STOP_POINT_PC || sp->kind == STOP_POINT_MICRO)
		return "break"; /* a temporary breakpoint is already deleted */
	return sp->kind != STOP_POINT_EVENT ? "watch" : sp->size ? "rwatch" : "catch";
}

/* Writes one of the stop points hit in this cycle. */
static void put_hit(FILE *f, const struct console *c, const struct run_stop_info *hit)
{
	const struct stop_point *sp = run_stop(c->session->run, hit->stop_id);
	const bool watched = sp && (sp->kind == STOP_POINT_MEMORY || sp->kind == STOP_POINT_REG ||
	                            sp->kind == STOP_POINT_VALUE);
	char was[600] = "", is[600] = "";
	uint64_t first = 0, last = 0;
	bool part = false;
	if (watched && !hit->only_left) {
		part = stops_watched_bytes(sp, hit, &first, &last);
		stops_value(c, sp, hit->old_value, was, sizeof was);
		stops_value(c, sp, hit->new_value, is, sizeof is);
	}
	fprintf(f, "{\"stop_point\": %d, \"kind\": \"%s\", \"what\": ", hit->stop_id,
	        kind_of_stop(sp));
	render_json_or_null(f, sp ? sp->text : "");
	put_if(f, "pc", hit->pc, "\"0x%" PRIx64 "\"", hit->pc);
	put_if(f, "seq", hit->seq, "%" PRIu64, hit->seq);
	fputs(", \"old\": ", f);
	render_json_or_null(f, was);
	fputs(", \"new\": ", f);
	render_json_or_null(f, is);
	put_if(f, "first_byte", part, "%" PRIu64, first);
	put_if(f, "last_byte", part, "%" PRIu64, last);
	fprintf(f, ", \"left\": %s", hit->left ? "true" : "false");
	answer_lines_write_event(f, hit->by_event ? &hit->event : NULL);
	fputc('}', f);
}

static void put_hits(FILE *f, const struct console *c, const struct run_stop_info *stop)
{
	const struct stop_hits *h = motion_hits(c);
	put_if(f, "hits", stop->reason == STOPPED_BREAK, "[");
	if (stop->reason != STOPPED_BREAK)
		return;
	for (unsigned i = 0; i < h->n && i <= RUN_ALSO_MAX; i++) {
		fputs(i ? ", " : "", f);
		put_hit(f, c, &h->hit[i]);
	}
	fputc(']', f);
}

static void answer_lines_write_stop(FILE *f, const struct console *c,
                                    const struct run_stop_info *stop)
{
	const struct session *s = c->session;
	unsigned older;
	fprintf(f, "{\"reason\": \"%s\", \"pc\": \"0x%" PRIx64 "\"", reason_name[stop->reason],
	        machine_seen_pc(s->machine));
	fprintf(f, ", \"insts\": %" PRIu64, here_insts(c, &older));
	const bool hit = stop->reason == STOPPED_BREAK;
	put_if(f, "stop_point", hit, "%d", stop->stop_id);
	put_if(f, "seq", hit && stop->seq, "%" PRIu64, stop->seq);
	answer_lines_write_event(f, hit && stop->by_event ? &stop->event : NULL);
	put_if(f, "exit_status", machine_status(s->machine) == MACHINE_EXITED, "%d",
	       machine_exit_status(s->machine));
	put_hits(f, c, stop);
	fputc('}', f);
}

static void answer_lines_write_value(FILE *f, const struct expr_value *v)
{
	switch (v->type) {
	case EXPR_NIL:
		fputs("null", f);
		break;
	case EXPR_BOOL:
		fputs(v->i ? "true" : "false", f);
		break;
	case EXPR_INT:
		fprintf(f, "%" PRId64, v->i);
		break;
	case EXPR_FLOAT:
		if (isfinite(v->d))
			fprintf(f, "%.17g", v->d);
		else
			fputs("null", f);
		break;
	default:
		render_json_text(f, v->text);
		break;
	}
}

/* Writes the waits of an instruction that has left: reason, the other instruction, cycles. */
static void answer_lines_write_waits(FILE *f, const struct session *s, const struct uop *u)
{
	size_t n;
	const struct wait *w = waits_of_left(s, u, &n);
	put_if(f, "waits", w, "[");
	for (size_t i = 0; w && i < n; i++) {
		fputs(i ? ", {\"reason\": " : "{\"reason\": ", f);
		render_json_text(f, why_words(w[i].why.id));
		put_if(f, "other", w[i].why.other, "%" PRIu64, w[i].why.other);
		fprintf(f, ", \"cycle\": %" PRIu64 ", \"cycles\": %" PRIu64 "}", w[i].from,
		        w[i].cycles);
	}
	if (w)
		fputc(']', f);
}

/* Writes the pipeline's present data on an instruction. */
static void answer_lines_write_inst(FILE *f, const struct session *s, uint64_t seq,
                                    const struct story *story)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *u = pipe_find(p, seq);
	fprintf(f, "{\"seq\": %" PRIu64, seq);
	for (int i = 0; u && i < UOP_FIELD_COUNT; i++) {
		char text[128];
		uint64_t word;
		if (i == UOP_FIELD_seq)
			continue;
		if (uop_field_info[i].type == FIELD_INST) {
			fputs(", ", f);
			render_json_text(f, uop_field_info[i].name);
			fputs(": ", f);
			render_json_text(f, uop_disasm(u, text, sizeof text));
		} else if (uop_field(p, u, (enum uop_field)i, &word)) {
			fputs(", ", f);
			put_field(f, uop_field_info[i].name, uop_field_info[i].type, word);
		}
	}
	put_if(f, "story", story, "%s", "");
	if (story)
		answer_inst_history(f, story);
	if (story && story->left)
		answer_lines_write_waits(f, s, &story->uop);
	fputc('}', f);
}

/* Writes our JSON on one line: our JSON has line ends only between parts, never in strings. */
static void put_joined(FILE *f, char *text)
{
	for (char *s = text; s && (s = strchr(s, '\n'));)
		*s = ' ';
	fputs(text ? text : "null", f);
	free(text);
}

static void answer_lines_write_view(FILE *f, const struct session *s,
                                    const struct command_answer *got)
{
	fputs(", \"view\": ", f);
	put_joined(f, got->shown
	                      ? render_json_string(&got->grid, got->view, machine_cycle(s->machine))
	                      : NULL);
}

static void put_stats(FILE *f, const struct session *s, const struct command_answer *got)
{
	char *text = NULL;
	size_t n;
	FILE *part = got->counted ? alloc_stream(&text, &n) : NULL;
	if (part) {
		stats_write_json(part, (const struct stats *)got->stats,
		                 machine_config(s->machine));
		fclose(part);
	}
	fputs(", \"stats\": ", f);
	put_joined(f, text);
}

/* ---- lines ---- */
static void answer_lines_write_line(struct answer_lines *a, const struct console *c,
                                    const char *command, bool ok, const struct command_answer *got)
{
	FILE *f = a->f;
	const struct session *s = c->session;
	fprintf(f, "{\"schema\": %d, \"command\": ", ANSWER_SCHEMA);
	render_json_text(f, command);
	fprintf(f, ", \"ok\": %s, \"error\": ", ok ? "true" : "false");
	render_json_or_null(f, ok ? "" : c->err.msg);
	fprintf(f, ", \"cycle\": %" PRIu64, machine_cycle(s->machine));
	put_said(f, got->text);
	put_if(f, "stop", got->stopped, "%s", "");
	if (got->stopped)
		answer_lines_write_stop(f, c, &got->stop);
	put_if(f, "value", got->valued, "%s", "");
	if (got->valued)
		answer_lines_write_value(f, &got->value);
	fputs(", \"data\": ", f);
	if (!ok || !got->data || json_dumpf(got->data, f, 0) != 0)
		fputs("null", f);
	answer_lines_write_view(f, s, got);
	put_stats(f, s, got);
	put_if(f, "instruction", got->about, "%s", "");
	if (got->about)
		answer_lines_write_inst(f, s, got->about, got->story);
	put_output(a);
	fputs("}\n", f);
	fflush(f);
}

enum command_result
answer_lines_command(struct answer_lines *a, struct console *c, const char *text,
                     enum command_result (*run)(struct console *c, const char *text, bool *repeats),
                     bool *repeats)
{
	struct command_answer got = {.whole = true}, *outer = c->answer;
	FILE *said = alloc_stream(&got.text, &got.n), *before = a->said;
	if (!said)
		return console_fail(c, "out of memory for an answer");
	c->answer = &got;
	a->said = said;
	const enum command_result r = run(c, text, repeats);
	c->answer = outer;
	a->said = before;
	fclose(said);
	answer_lines_write_line(a, c, text, r != CMD_ERROR, &got);
	if (got.shown)
		grid_deinit(&got.grid);
	free(got.text);
	free(got.story);
	json_decref(got.data);
	return r;
}

void answer_lines_free(struct answer_lines *a)
{
	if (!a)
		return;
	fclose(a->said);
	if (a->count || a->behind_n) {
		fprintf(a->f, "{\"schema\": %d, \"command\": null", ANSWER_SCHEMA);
		put_said(a->f, a->behind);
		put_output(a);
		fputs("}\n", a->f);
	}
	free(a->behind);
	free(a->pieces);
	free(a);
}
