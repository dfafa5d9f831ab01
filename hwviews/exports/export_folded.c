/* Folded stacks: a line for each calling context, as flame graph tools read them. */
#include <inttypes.h>
#include <string.h>

#include "hwviews/exports/export.h"
#include "hwviews/flow/contexts.h"

enum { NAME = 256, DEEPEST = 4096 };

/* Semicolons separate names of a stack. */
static void export_folded_write_frame_name(FILE *out, const struct session *s,
                                           const struct contexts *c, uint32_t node)
{
	char name[NAME];
	contexts_name(s, c, node, name, sizeof name);
	for (char *p = name; (p = strchr(p, ';')); p++)
		*p = ':';
	fputs(name, out);
}

static bool export_folded_write_stack(FILE *out, const struct session *s, const struct contexts *c,
                                      uint32_t node)
{
	uint32_t way[DEEPEST], n = 0;
	for (uint32_t at = node; n < DEEPEST; at = c->tree.nodes[at].parent) {
		way[n++] = at;
		if (!at)
			break;
	}
	if (way[n - 1])
		return false;
	/* A root that is no procedure is left out of stacks. */
	if (n > 1 && !c->tree.nodes[0].callee)
		n--;
	while (n-- > 0) {
		export_folded_write_frame_name(out, s, c, way[n]);
		fputs(n ? ";" : " ", out);
	}
	return true;
}

static bool write_folded(const struct session *s, const struct view_args *args, FILE *out,
                         struct err *err)
{
	struct contexts_args a;
	struct contexts c;
	bool ok = contexts_words(s, args, 0, "", &a, err) && contexts_read(s, &a, &c, err);
	if (!ok)
		return false;
	for (uint32_t i = 0; i < c.tree.count && ok; i++) {
		const uint64_t own = c.own[c.by][i];
		if (!own)
			continue;
		ok = export_folded_write_stack(out, s, &c, i) ||
		     err_set(err, "a context is deeper than %d calls", DEEPEST);
		fprintf(out, "%" PRIu64 "\n", own);
	}
	contexts_free(&c);
	return ok;
}

const struct export_format export_folded = {
	.name = "folded",
	.title = "calling contexts as folded stacks, for flame graph tools",
	.args = CONTEXTS_ARGS " " REGION_ARGS,
	.write = write_folded,
	.help = "A line for each calling context: its procedures from the outermost on, with\n"
		"semicolons between them, and its own cost. flamegraph.pl, inferno\n"
		"and speedscope read it. A recursive procedure\n"
		"is listed once: contexts have no recursion (`help cct`).",
};
