#include "ui/trace/label.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/session/view_text.h"
#include "ui/render/render_json.h"
#include "ui/trace/out.h"

enum { KEPT = 1 << 13, PLACE = 160, TEXT = 256 };
static_assert(6 * (PLACE + TEXT) + 2 <= LABEL_BYTES_MAX, "\\u001f for each");

bool labels_init(struct labels *l, const struct session *s, bool json)
{
	*l = (struct labels){.kept = alloc_zeroed(KEPT, sizeof *l->kept), .s = s, .json = json};
	return l->kept;
}

void labels_deinit(struct labels *l)
{
	for (size_t i = 0; l->kept && i < KEPT; i++)
		free(l->kept[i].text);
	free(l->kept);
}

/* ---- formatting ---- */
static size_t put_plain(const struct labels *l, const struct uop *u, char *at, size_t room)
{
	char place[PLACE], text[TEXT];
	int n = snprintf(at, room, "%s: %s",
	                 program_addr_text(l->s->program, u->pc, place, sizeof place),
	                 format_uop(l->s, u, text, sizeof text));
	return (size_t)n < room ? (size_t)n : room - 1;
}

/* Returns the length, 0 if memory is out. */
static size_t labels_append_json(const struct labels *l, const struct uop *u, char *at)
{
	char plain[PLACE + TEXT], *text = NULL;
	size_t n = 0;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return 0;
	put_plain(l, u, plain, sizeof plain);
	render_json_text(f, plain);
	if (fclose(f) != 0)
		n = 0;
	memcpy(at, text, n);
	free(text);
	return n;
}

/* False after a trap, and for a direct jump to a target without a symbol, whose text depends on
 * present mappings or on sp. */
static bool labels_text_is_constant(const struct labels *l, const struct uop *u)
{
	if (u->trap != TRAP_NONE)
		return false;
	return !(u->op_flags & (OPF_BRANCH | OPF_JUMP)) || (u->op_flags & OPF_INDIRECT) ||
	       program_symbol_at(l->s->program,
	                         u->pc + u->prefix_len + (uint64_t)(int64_t)u->inst.imm);
}

static bool labels_entry_matches(const struct label *k, const struct uop *u)
{
	return k->bytes && k->pc == u->pc && !memcmp(&k->inst, &u->inst, sizeof k->inst) &&
	       k->prefix_len == u->prefix_len && k->profile_type == u->profile_type;
}

static void labels_store_entry(struct label *k, const struct uop *u, const char *text, size_t n)
{
	char *copy = alloc_resize(k->text, n);
	if (!copy)
		return;
	memcpy(copy, text, n);
	*k = (struct label){.pc = u->pc,
	                    .inst = u->inst,
	                    .prefix_len = u->prefix_len,
	                    .profile_type = u->profile_type,
	                    .bytes = (uint32_t)n,
	                    .text = copy};
}

char *labels_put(struct labels *l, const struct uop *u, char *at)
{
	struct label *k = &l->kept[u->pc / 2 % KEPT];
	if (labels_entry_matches(k, u))
		return out_append_text(at, k->text, k->bytes);
	size_t n = l->json ? labels_append_json(l, u, at) : put_plain(l, u, at, PLACE + TEXT);
	if (n && labels_text_is_constant(l, u))
		labels_store_entry(k, u, at, n);
	return at + n;
}
