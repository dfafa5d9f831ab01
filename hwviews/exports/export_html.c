/* A self-contained page with the pipeline diagram of a region: for handouts, bug reports, the
 * manual.
 *
 * The page is pipeline.html, whose line @DATA@ is replaced by the recorded data, as JSON. Rows are
 * the instructions that were fetched or left in the region, with the letters of `view pipe`; cycles
 * after the region are not in it. The CPI stack is kept cycle by cycle, so that the page can add up
 * the visible part. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/defs/config_fields.h"
#include "core/host/embedded_file.h"
#include "core/machine/machine.h"
#include "hwviews/exports/export.h"
#include "hwviews/grid/order.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/waits.h"

EMBEDDED_FILE(export_page, "hwviews/exports/pipeline.html");
static const char place_of_data[] = "@DATA@";

enum {
	ROWS_DEFAULT = 2000, /* instructions, if no region is given */
	ROWS_MAX = 50000,
	CPI_MAX = 24,        /* rows of the CPI stack */
	LINES_AROUND = 3,    /* lines of a source file to include around those with code */
	LINES_MAX = 4000     /* of one file */
};

/* Slots of one row of the CPI stack in one cycle. */
struct charged {
	uint32_t cycle; /* from the region's first */
	uint32_t row;
	uint64_t slots;
};

struct code {
	uint64_t pc;
	uint32_t raw;
};

struct page {
	const struct session *s;
	uint64_t from, to;
	struct uop *uops;         /* owned, [count]: state when they left, or at the end */
	size_t count, room;
	struct charged *charged;  /* owned, [charged_count] */
	size_t charged_count, charged_room;
	uint64_t counted[CPI_MAX]; /* at the end of the previous cycle */
	const struct stat_row *rows[CPI_MAX];
	unsigned row_count;
	bool begun, out_of_memory, full;
};

/* ---- recording ---- */
static void export_html_append_uop(struct page *g, const struct machine *m, const struct uop *u)
{
	struct uop *uops = alloc_grow(g->uops, g->count, &g->room, sizeof *uops, 1024);
	g->full = g->count == ROWS_MAX;
	g->out_of_memory |= !uops;
	if (uops)
		g->uops = uops;
	if (uops && !g->full)
		g->uops[g->count++] = *u;
	if (g->full || g->out_of_memory)
		machine_request_stop(m);
}

/* The slot may already be reused by a fetch-queue entry that no listener has seen. */
static void export_html_on_leave_event(void *ctx, const struct machine *m, const struct event *ev)
{
	const struct uop *u =
		ev->slot == EVENT_NO_SLOT ? NULL : pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	if (u && u->seq == ev->seq)
		export_html_append_uop(ctx, m, u);
}

static uint64_t export_html_read_counter(const struct machine *m, const struct stat_row *row)
{
	uint64_t n;
	memcpy(&n, (const char *)machine_stats(m) + row->offset, sizeof n);
	return n;
}

static void export_html_record_cpi_charges(struct page *g, const struct machine *m)
{
	for (unsigned i = 0; i < g->row_count; i++) {
		const uint64_t now = export_html_read_counter(m, g->rows[i]),
			       before = g->counted[i];
		g->counted[i] = now;
		if (!g->begun || now == before)
			continue;
		struct charged *charged = alloc_grow(g->charged, g->charged_count,
		                                     &g->charged_room, sizeof *charged, 1024);
		if (!charged) {
			g->out_of_memory = true;
			machine_request_stop(m);
			return;
		}
		g->charged = charged;
		g->charged[g->charged_count++] = (struct charged){
			(uint32_t)(machine_cycle(m) - 1 - g->from), i, now - before};
	}
}

static void each_cycle(void *ctx, const struct machine *m)
{
	struct page *g = ctx;
	const struct pipe *p = machine_pipe(m);
	export_html_record_cpi_charges(g, m);
	g->begun = true;
	if (machine_cycle(m) != g->to)
		return;
	for (uint32_t i = 0; i < p->pool_size; i++)
		if (p->pool[i].seq && uop_in_flight(&p->pool[i]))
			export_html_append_uop(g, m, &p->pool[i]);
}

static void export_html_find_cpi_rows(struct page *g)
{
	for (size_t i = 0; i < stat_row_count && g->row_count < CPI_MAX; i++)
		if (!strncmp(stat_rows[i].name, "cpi.", 4))
			g->rows[g->row_count++] = &stat_rows[i];
}

static bool export_html_record_region(struct page *g, struct err *err)
{
	const struct event_filter filter = {.mask = EVENT_BIT(leave)};
	export_html_find_cpi_rows(g);
	if (!run_replay_cycles(g->s->run, g->from, g->to, &filter, export_html_on_leave_event,
	                       each_cycle, g, err) &&
	    !g->full && !g->out_of_memory)
		return false;
	if (g->out_of_memory || (!g->full && !waits_cover(g->s->waits, g->s, g->from, g->to, err)))
		return err_set(err, "out of memory");
	return !g->full ||
	       err_set(err,
	               "more than %s instructions were there in cycles %s to %s: name a shorter "
	               "region, such as since -5000",
	               GROUPED(ROWS_MAX), GROUPED(g->from), GROUPED(g->to));
}

/* The region given, or the cycles of the last instructions. */
static bool export_html_select_region(struct page *g, const struct view_args *args, struct err *err)
{
	struct region region;
	struct run_history h;
	uint64_t first;
	if (!region_take(g->s, args->argc, args->argv, &region, err))
		return false;
	if (region.argc)
		return err_set(err, "'%s' is no region; expected " REGION_ARGS, region.argv[0]);
	if (!g->s->run)
		return err_set(err, "this session keeps no history");
	run_history(g->s->run, &h);
	g->from = region.from;
	g->to = region.to;
	const uint64_t next = machine_pipe(g->s->machine)->st->next_seq;
	if (!region.given) {
		g->from = h.first_cycle;
		g->to = machine_cycle(g->s->machine);
		if (next > ROWS_DEFAULT &&
		    run_fetched(g->s->run, next - ROWS_DEFAULT, &first, NULL))
			g->from = first;
	}
	if (g->from < g->to)
		return true;
	return err_set(err, "there is no cycle in this region: run the program first");
}

/* ---- JSON that is safe inside a page ---- */
static void export_html_write_json_string(FILE *out, const char *s)
{
	size_t n = strlen(s);
	putc('"', out);
	while (n) {
		uint32_t code; /* U+FFFD for invalid UTF-8 */
		const size_t one = utf8_decode(s, n, &code);
		if (code == '"' || code == '\\' || code == '<' || code < 0x20 ||
		    (code >= 0x7f && code < 0xa0) || code == 0xfffd)
			fprintf(out, "\\u%04x", (unsigned)code);
		else
			fwrite(s, 1, one, out);
		s += one;
		n -= one;
	}
	putc('"', out);
}

ORDER(by_seq, struct uop, UP(seq))

ORDER(by_code, struct code, UP(pc) ?: UP(raw))

/* Each instruction in memory once, by address. */
static struct code *gather_code(const struct page *g, size_t *count)
{
	struct code *all = alloc_bytes((g->count + 1) * sizeof *all);
	if (!all)
		return NULL;
	for (size_t i = 0; i < g->count; i++)
		all[i] = (struct code){g->uops[i].pc, g->uops[i].inst.raw};
	if (g->count)
		sort_stable(all, g->count, sizeof *all, by_code);
	*count = 0;
	for (size_t i = 0; i < g->count; i++)
		if (!*count || by_code(&all[*count - 1], &all[i]))
			all[(*count)++] = all[i];
	return all;
}

/* The first uop of each instruction in `code`. */
static const struct uop *export_html_find_uop_of_code(const struct page *g, const struct code *code)
{
	for (size_t i = 0; i < g->count; i++)
		if (g->uops[i].pc == code->pc && g->uops[i].inst.raw == code->raw)
			return &g->uops[i];
	return NULL;
}

/* ---- source ---- */
enum { FILES_MAX = 32 };

struct sources {
	unsigned count;
	struct {
		const char *name; /* borrowed */
		unsigned first, last;
	} file[FILES_MAX];
};

static unsigned export_html_intern_file(struct sources *f, const struct source_line *at)
{
	unsigned i = 0;
	while (i < f->count && strcmp(f->file[i].name, at->file) != 0)
		i++;
	if (i == FILES_MAX)
		return FILES_MAX;
	if (i == f->count) {
		f->file[f->count++].name = at->file;
		f->file[i].first = f->file[i].last = at->line;
	}
	f->file[i].first = at->line < f->file[i].first ? at->line : f->file[i].first;
	f->file[i].last = at->line > f->file[i].last ? at->line : f->file[i].last;
	return i;
}

static void export_html_write_sources(FILE *out, const struct page *g, const struct sources *f)
{
	fputs("\"files\":[", out);
	for (unsigned i = 0; i < f->count; i++) {
		const char *name = f->file[i].name, *slash = strrchr(name, '/');
		unsigned lines = 0, first = f->file[i].first, last = f->file[i].last + LINES_AROUND;
		first = first > LINES_AROUND ? first - LINES_AROUND : 1;
		program_source_text(g->s->program, name, 1, &lines);
		last = last > lines ? lines : last;
		last = last > first + LINES_MAX ? first + LINES_MAX : last;
		fprintf(out, "%s\n{\"name\":", i ? "," : "");
		export_html_write_json_string(out, slash ? slash + 1 : name);
		fprintf(out, ",\"first\":%u,\"lines\":[", first);
		for (unsigned n = first; n <= last; n++) {
			const char *text = program_source_text(g->s->program, name, n, NULL);
			fputs(n > first ? ",\n" : "\n", out);
			export_html_write_json_string(out, text ? text : "");
		}
		fputs("]}", out);
	}
	fputs("],\n", out);
}

/* [pc, place, text, file, line, bytes] */
static void put_code(FILE *out, const struct page *g, const struct code *code, size_t count,
                     struct sources *files)
{
	fputs("\"code\":[", out);
	for (size_t i = 0; i < count; i++) {
		const struct uop *u = export_html_find_uop_of_code(g, &code[i]);
		struct source_line at;
		unsigned file = FILES_MAX;
		if (program_line_at(g->s->program, code[i].pc, &at) && at.line)
			file = export_html_intern_file(files, &at);
		fprintf(out, "%s\n[\"0x%" PRIx64 "\",", i ? "," : "", code[i].pc);
		export_html_write_json_string(out, format_place(g->s, code[i].pc, BUFFER(160)));
		putc(',', out);
		export_html_write_json_string(out, format_uop(g->s, u, BUFFER(256)));
		if (file < FILES_MAX)
			fprintf(out, ",%u,%u", file, at.line);
		putc(']', out);
	}
	fputs("],\n", out);
}

/* ---- rows ---- */
/* "F3=2D1·4I1": letters with their repeat counts. Every letter is one character. */
static void export_html_write_stage_letters(FILE *out, const struct page *g, const struct uop *u)
{
	const struct pipe *p = machine_pipe(g->s->machine);
	const uint64_t first = u->when.fetch > g->from ? u->when.fetch : g->from;
	const uint64_t end = uop_ended(u) && u->when.end < g->to ? u->when.end + 1 : g->to;
	const char *last = NULL;
	uint64_t n = 0;
	putc('"', out);
	for (uint64_t c = first; c < end; c++) {
		const char *letter = pipe_letter(p, u, c);
		if (last && strcmp(last, letter) != 0) {
			fprintf(out, "%s%" PRIu64, last, n);
			n = 0;
		}
		last = letter;
		n++;
	}
	if (last)
		fprintf(out, "%s%" PRIu64, last, n);
	putc('"', out);
}

/* Cycles since the region's first; null: not reached by its end. */
static void put_stamp(FILE *out, const struct page *g, uint64_t cycle)
{
	if (cycle < g->to)
		fprintf(out, ",%" PRId64, (int64_t)(cycle - g->from));
	else
		fputs(",null", out);
}

static void put_note(FILE *out, const struct page *g, const struct pipe_rows *r,
                     const struct uop *u)
{
	char text[128] = "";
	const struct uop *by;
	const struct pipe *p = machine_pipe(g->s->machine);
	if (u->state == UOP_RETIRED)
		waits_longest(g->s->waits, p, u, text, sizeof text);
	else if (u->state == UOP_SQUASHED && (by = pipe_squasher(p, r, u)))
		snprintf(text, sizeof text, "squashed by #%" PRIu64, by->seq);
	export_html_write_json_string(out, text);
}

/* [seq, code, letters, state, note, [producers], level, mispredicted, fetch, delivered, dispatch,
 * ready, issue, memory, done, end] */
static void export_html_write_uop_row(FILE *out, const struct page *g, const struct pipe_rows *r,
                                      const struct uop *u, size_t code)
{
	const bool ended = uop_ended(u), dispatched = uop_dispatched(u);
	const char *state = !ended                      ? "in flight"
	                    : u->state == UOP_RETIRED   ? "committed"
	                    : u->state == UOP_SQUASHED  ? "squashed"
	                    : u->state == UOP_DROPPED ? "dropped" : "acted";
	const uint64_t never = NO_CYCLE;
	fprintf(out, "\n[%" PRIu64 ",%zu,", u->seq, code);
	export_html_write_stage_letters(out, g, u);
	fprintf(out, ",\"%s\",", state);
	put_note(out, g, r, u);
	fputs(",[", out);
	for (unsigned i = 0, n = 0; i < 3 && dispatched; i++)
		if (u->src.seq[i])
			fprintf(out, "%s%" PRIu64, n++ ? "," : "", u->src.seq[i]);
	fputs("],", out);
	export_html_write_json_string(out, dispatched && u->when.mem < g->to
	                                           ? format_level((enum mem_level)u->mem.level)
	                                           : "");
	const bool wrong = dispatched && u->when.done < g->to && (u->flags & UF_MISPREDICT);
	fprintf(out, ",%d", wrong);
	put_stamp(out, g, u->when.fetch);
	put_stamp(out, g, u->when.avail);
	put_stamp(out, g, dispatched || ended ? u->when.dispatch : never);
	put_stamp(out, g, dispatched ? u->when.ready : never);
	put_stamp(out, g, dispatched ? u->when.issue : never);
	put_stamp(out, g, dispatched ? u->when.mem : never);
	put_stamp(out, g, dispatched ? u->when.done : never);
	put_stamp(out, g, ended ? u->when.end : never);
	putc(']', out);
}

static bool export_html_write_uop_rows(FILE *out, struct page *g, const struct code *code,
                                       size_t code_count)
{
	struct pipe_rows r = {alloc_bytes((g->count + 1) * sizeof *r.uops), g->count};
	if (!r.uops)
		return false;
	for (size_t i = 0; i < g->count; i++)
		r.uops[i] = &g->uops[i];
	fputs("\"rows\":[", out);
	for (size_t i = 0; i < g->count; i++) {
		const struct code key = {g->uops[i].pc, g->uops[i].inst.raw};
		const struct code *at =
			bsearch(&key, code, code_count, sizeof key, by_code);
		if (i)
			putc(',', out);
		export_html_write_uop_row(out, g, &r, &g->uops[i], (size_t)(at - code));
	}
	fputs("],\n", out);
	pipe_rows_deinit(&r);
	return true;
}

/* ---- the page ---- */
static void export_html_write_page_header(FILE *out, const struct page *g)
{
	const struct config *cfg = machine_config(g->s->machine);
	const char *path = program_path(g->s->program), *slash = strrchr(path, '/');
	fputs("{\"program\":", out);
	export_html_write_json_string(out, slash ? slash + 1 : path);
	fputs(",\"machine\":", out);
	export_html_write_json_string(out, g->s->config_name ? g->s->config_name : "");
	fprintf(out,
	        ",\"from\":%" PRIu64 ",\"to\":%" PRIu64
	        ",\"textbook\":%s,\"width\":%d,\n\"cpi\":[",
	        g->from, g->to, CONFIG(cfg, memory_stage) ? "true" : "false",
	        (int)CONFIG(cfg, commit_width));
	for (unsigned i = 0; i < g->row_count; i++) {
		fputs(i ? "," : "", out);
		export_html_write_json_string(out, g->rows[i]->name + 4);
	}
	fputs("],\n", out);
}

/* [cycle, row, slots], flattened into one list. */
static void put_charged(FILE *out, const struct page *g)
{
	fputs("\"charged\":[", out);
	for (size_t i = 0; i < g->charged_count; i++)
		fprintf(out, "%s%" PRIu32 ",%" PRIu32 ",%" PRId64, i % 32 ? "," : i ? ",\n" : "\n",
		        g->charged[i].cycle, g->charged[i].row, (int64_t)g->charged[i].slots);
	fputs("]}\n", out);
}

static bool export_html_write_page_data(FILE *out, struct page *g)
{
	size_t code_count = 0;
	struct code *code = gather_code(g, &code_count);
	struct sources files = {0};
	if (!code)
		return false;
	export_html_write_page_header(out, g);
	put_code(out, g, code, code_count, &files);
	export_html_write_sources(out, g, &files);
	const bool ok = export_html_write_uop_rows(out, g, code, code_count);
	put_charged(out, g);
	free(code);
	return ok;
}

static bool write_page(const struct session *s, const struct view_args *args, FILE *out,
                       struct err *err)
{
	struct page g = {.s = s};
	const char *at = strstr(export_page, place_of_data);
	bool ok = export_html_select_region(&g, args, err) && export_html_record_region(&g, err);
	if (ok) {
		if (g.count)
			sort_stable(g.uops, g.count, sizeof *g.uops, by_seq);
		fwrite(export_page, 1, (size_t)(at - export_page), out);
		ok = export_html_write_page_data(out, &g) || err_set(err, "out of memory");
		fputs(at + strlen(place_of_data), out);
	}
	free(g.uops);
	free(g.charged);
	return ok;
}

const struct export_format export_html = {
	.name = "html",
	.title = "the pipeline diagram as a page for a browser",
	.args = REGION_ARGS,
	.write = write_page,
	.help = "A self-contained page, which needs neither network nor Cyclops: the pipeline\n"
		"diagram of a region, with pan and zoom, each instruction's waits, its\n"
		"producers and consumers, source and disassembly beside it, and the CPI stack\n"
		"of the cycles that are visible. Search, keyboard (? lists the keys), light\n"
		"and dark; it prints. Without a region: the last 2,000 instructions. At most\n"
		"50,000; 2,000 are less than a megabyte.\n"
		"    export html loop.html since main      export html end.html since -500\n"
		"The address of a page may name an instruction, #seq=1204.",
};
