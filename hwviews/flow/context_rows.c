#include "hwviews/flow/context_rows.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/session/loss_text.h"
#include "loader/instrument/cct.h"

enum { NAME = 96 };

char *context_line_text(const struct session *s, uint64_t pc, char *buf, size_t n)
{
	struct source_line line;
	if (!program_line_at(s->program, pc, &line) || !line.line)
		return format_addr(s, pc, buf, n);
	const char *base = strrchr(line.file, '/');
	snprintf(buf, n, "%s:%u", base ? base + 1 : line.file, line.line);
	return buf;
}

void context_cell_line(struct grid *g, const struct session *s, uint64_t pc)
{
	char text[NAME];
	if (pc)
		grid_hex_text(g, ROLE_PLAIN, pc, "%s", context_line_text(s, pc, text, sizeof text));
	else
		grid_blank(g);
}

void context_summary(struct grid *g, const struct session *s, const struct contexts *c)
{
	char lost[64] = "", deep[96] = "";
	const struct oracle *o = session_oracle(s);
	if (c->from == CONTEXTS_ORACLE && o) {
		const uint64_t n = o->head.lost[ORACLE_NODES] + o->head.lost[ORACLE_ARCS] +
		                   o->head.lost[ORACLE_FRAMES];
		if (n)
			snprintf(lost, sizeof lost, "; LOST %s: oracle.memory is full", GROUPED(n));
	} else if (c->tree.lost) {
		snprintf(lost, sizeof lost, "; LOST %s calls: --cct-heap is full",
		         GROUPED(c->tree.lost));
	}
	if (c->tree.deep)
		snprintf(deep, sizeof deep,
		         "; STACK DEEPER than %d MB: contexts share places, counts are wrong",
		         1 << (CCT_STACK_LOG2 - 20));
	const char *threads = "";
	for (enum instrument_kind k = INSTRUMENT_CCT;
	     c->from == CONTEXTS_PROGRAM && k <= INSTRUMENT_CCT_PATH && !*threads; k++)
		threads = contexts_thread_note(s, k);
	grid_summary(g, "%s contexts by %s, %s%s%s%s%s", GROUPED(c->tree.count),
	             contexts_weight_name(c, c->by),
	             c->from == CONTEXTS_ORACLE ? "by the oracle"
	             : c->from == CONTEXTS_FILE ? "in its file" : "in the program's memory",
	             lost, deep, threads, format_loss(s, LOSS_OF_CODE, BUFFER(200)));
}

/* ---- names ---- */
static bool context_rows_parse_node_number(const struct contexts *c, const char *word,
                                           uint32_t *node, struct err *err)
{
	char *end;
	const unsigned long long n = strtoull(word, &end, 10);
	if (*end)
		return err_set(err, "'%s' is no number of a node: `view cct` shows them", word);
	if (!c->tree.count)
		return err_set(err, "there is no node %s: nothing has been called", word);
	if (n >= c->tree.count)
		return err_set(err, "there is no node %s; expected 0 to %" PRIu32, word,
		               c->tree.count - 1);
	*node = (uint32_t)n;
	return true;
}

bool contexts_find(const struct session *s, const struct contexts *c, const char *word,
                   uint32_t *node, struct err *err)
{
	uint32_t best = CONTEXT_NONE;
	struct nearest nearest;
	word += *word == '#';
	if (isdigit((unsigned char)*word))
		return context_rows_parse_node_number(c, word, node, err);
	const struct symbol *sym = program_symbol_by_name(s->program, word);
	for (uint32_t i = 0; i < c->tree.count; i++) {
		const bool is = sym ? c->tree.nodes[i].callee == sym->addr
		                    : !strcmp(contexts_name(s, c, i, BUFFER(NAME)), word);
		if (is && (best == CONTEXT_NONE || c->with[c->by][i] > c->with[c->by][best]))
			best = i;
	}
	if (best != CONTEXT_NONE) {
		*node = best;
		return true;
	}
	if (sym)
		return err_set(err, "%s has not been called", word);
	/* nearest borrows the names: those of symbols live as long as the program. */
	nearest_init(&nearest, word);
	for (uint32_t i = 0; i < c->tree.count; i++) {
		const struct symbol *of = program_symbol_at(s->program, c->tree.nodes[i].callee);
		if (of)
			nearest_offer(&nearest, of->name);
	}
	return err_set(err, "no procedure '%s': %s", word,
	               nearest_said(&nearest, "expected one that was called, or a node's number"));
}

/* ---- one node ---- */
const struct grid_column context_node_columns[CONTEXT_NODE_COLUMNS] = {
	{"what", "", "", .help = "what of the node"},
	{"value", "", "", AT_RIGHT, .help = "how much"},
	{"share", "", "percent", AT_RIGHT, .restless = true, .help = "of all"},
	{"says", "", "", FLEXIBLE, .help = "what that means"},
};

enum node_row {
	ROW_PROCEDURE = 1, ROW_CALLS, ROW_WITH, ROW_OWN = ROW_WITH + CONTEXT_METRICS,
	ROW_EVERYWHERE = ROW_OWN + CONTEXT_METRICS, ROW_SITES = ROW_EVERYWHERE + CONTEXT_WEIGHTS,
	ROW_INTO, ROW_BACK, ROW_RECORD, ROW_CHAIN
};

static void context_rows_begin_text_row(struct grid *g, uint64_t key, const char *what)
{
	grid_row(g, key, ROLE_PLAIN);
	grid_text(g, ROLE_DIM, "%s", what);
}

static void cells_number(struct grid *g, uint64_t part, uint64_t whole)
{
	grid_uint(g, ROLE_NUMBER, part);
	cell_share(g, part, whole);
}

static void weight_rows(struct grid *g, const struct contexts *c, uint32_t node)
{
	context_rows_begin_text_row(g, ROW_CALLS, "calls");
	cells_number(g, c->tree.nodes[node].calls, c->with[CONTEXT_CALLS][0]);
	grid_text(g, ROLE_DIM, "calls to here, recursive ones included");
	for (unsigned w = 0; w < CONTEXT_METRICS; w++) {
		if (!c->own[w])
			continue;
		context_rows_begin_text_row(g, ROW_WITH + w, c->tree.metric[w]);
		cells_number(g, c->with[w][node], c->with[w][0]);
		grid_text(g, ROLE_DIM, "including all callees");
		context_rows_begin_text_row(g, ROW_OWN + w, "");
		cells_number(g, c->own[w][node], c->with[w][0]);
		grid_text(g, ROLE_DIM, "here itself");
	}
}

/* A procedure occurs at most once on each path from the root, so the sums of its nodes can be
 * added. */
static void everywhere_row(struct grid *g, const struct contexts *c, uint32_t node)
{
	uint64_t with = 0;
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->tree.count; i++) {
		if (c->tree.nodes[i].callee != c->tree.nodes[node].callee)
			continue;
		n++;
		with += c->with[c->by][i];
	}
	context_rows_begin_text_row(g, ROW_EVERYWHERE, "everywhere");
	cells_number(g, with, c->with[c->by][0]);
	grid_text(g, ROLE_DIM, "%s in the %" PRIu32 " context%s of this procedure",
	          contexts_weight_name(c, c->by), n, n == 1 ? "" : "s");
}

static void calls_rows(struct grid *g, struct contexts *c, uint32_t node)
{
	const struct context *k = &c->tree.nodes[node];
	uint32_t kids, backs;
	contexts_children(c, node, &kids);
	contexts_backs(c, node, &backs);
	context_rows_begin_text_row(g, ROW_SITES, "leads to");
	grid_uint(g, ROLE_NUMBER, kids);
	grid_blank(g);
	grid_text(g, ROLE_DIM, "context%s below", kids == 1 ? "" : "s");
	context_rows_begin_text_row(g, ROW_BACK, "back");
	grid_uint(g, ROLE_NUMBER, backs);
	grid_blank(g);
	grid_text(g, ROLE_DIM, "call site%s that lead%s back up, to active procedures",
	          backs == 1 ? "" : "s", backs == 1 ? "s" : "");
	uint64_t into = 0, calls = 0;
	for (uint32_t i = 0; i < c->tree.back_count; i++) {
		into += c->tree.backs[i].to == node;
		calls += c->tree.backs[i].to == node ? c->tree.backs[i].calls : 0;
	}
	if (into) {
		context_rows_begin_text_row(g, ROW_INTO, "recursion");
		grid_uint(g, ROLE_NUMBER, calls);
		grid_blank(g);
		grid_text(g, ROLE_DIM, "of the calls, over %" PRIu64 " back edge%s from below",
		          into, into == 1 ? "" : "s");
	}
	if (k->record) {
		context_rows_begin_text_row(g, ROW_RECORD, "record");
		grid_hex(g, ROLE_ADDRESS, k->record);
		grid_blank(g);
		grid_text(g, ROLE_DIM, "in guest memory, %" PRIu32 " bytes", k->size);
	}
}

/* Rows from the root down to the node, each with the call that led to it. */
static void chain_rows(struct grid *g, const struct session *s, const struct contexts *c,
                       uint32_t node)
{
	const struct context *nodes = c->tree.nodes;
	char name[NAME], at[NAME];
	grid_row(g, ROW_CHAIN, ROLE_HEAD);
	grid_text(g, ROLE_HEAD, "node");
	grid_text(g, ROLE_HEAD, "%s", contexts_weight_name(c, c->by));
	grid_text(g, ROLE_HEAD, "share");
	grid_text(g, ROLE_HEAD, "called by the one above it");
	for (uint32_t depth = 0; depth <= nodes[node].depth; depth++) {
		uint32_t i = node;
		while (nodes[i].depth > depth)
			i = nodes[i].parent;
		grid_row(g, ROW_CHAIN + 1 + (uint64_t)i, i == node ? ROLE_CURRENT : ROLE_PLAIN)
			->pc = nodes[i].callee;
		grid_uint_text(g, ROLE_DIM, i, "%" PRIu32, i);
		cells_number(g, c->with[c->by][i], c->with[c->by][0]);
		contexts_name(s, c, i, name, sizeof name);
		if (nodes[i].site)
			grid_text(g, i == node ? ROLE_CURRENT : ROLE_ADDRESS, "%s, at %s", name,
			          context_line_text(s, nodes[i].site, at, sizeof at));
		else
			grid_text(g, i == node ? ROLE_CURRENT : ROLE_ADDRESS, "%s", name);
	}
}

void context_node_grid(struct grid *g, const struct session *s, struct contexts *c, uint32_t node)
{
	char name[NAME], at[NAME];
	const struct context *k = &c->tree.nodes[node];
	grid_init(g, "Calling context", GRID_TABLE(context_node_columns));
	grid_summary(g, "node %" PRIu32 " of %" PRIu32 "%s", node, c->tree.count,
	             node == c->tree.current ? ", here" : "");
	context_rows_begin_text_row(g, ROW_PROCEDURE, "procedure");
	grid_hex(g, ROLE_ADDRESS, k->callee);
	grid_blank(g);
	contexts_name(s, c, node, name, sizeof name);
	context_line_text(s, k->callee, at, sizeof at);
	if (strcmp(name, at) != 0 && k->callee)
		grid_text(g, ROLE_ADDRESS, "%s, %s", name, at);
	else
		grid_text(g, ROLE_ADDRESS, "%s", name);
	weight_rows(g, c, node);
	everywhere_row(g, c, node);
	calls_rows(g, c, node);
	chain_rows(g, s, c, node);
}
