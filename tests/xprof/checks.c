#include "tests/xprof/checks.h"

#include <stdlib.h>
#include <string.h>

enum { ENTRIES = 4096, SETS_MAX = 64, WAYS_MAX = 4 };

/* A line of the table, as the paper has it, and when it was used. */
struct line {
	bool valid, locked, on;
	uint64_t leader, follow, used;
	unsigned count;
};

struct checks {
	struct machine *m;
	struct line line[SETS_MAX][WAYS_MAX];
	uint64_t clock;
	uint64_t leader; /* leader address register, 0: reset */
	unsigned type, count;
	/* seq of the one that decode has looked at and dispatch has no room for */
	uint64_t decoded_early;
	bool cleared;           /* a fence.i has committed */
	struct checks_seen seen;
};

static const struct config *checks_config(const struct checks *c)
{
	return machine_config(c->m);
}

/* ---- code, by its bytes ---- */
static uint32_t raw_at(const struct checks *c, uint64_t pc)
{
	uint32_t raw = 0;
	if (!mem_peek(machine_mem_const(c->m), pc, &raw, 4))
		(void)mem_peek(machine_mem_const(c->m), pc, &raw, 2);
	return raw;
}

static unsigned checks_inst_bytes(uint32_t raw)
{
	return (raw & 3) == 3 ? 4 : 2;
}

static int hint_of(uint32_t raw)
{
	if ((raw & 0xef83) == 0x0002)
		return (int)((raw >> 2 & 31) | (raw >> 12 & 1) << 5);
	if ((raw & 0xfffff) == 0x0a013)
		return (int)(raw >> 20);
	return (raw & 0xfffff) == 0x02013 ? 1 << 20 : -1;
}

/* Bytes of the profile instruction at pc, and its type; 0: it is none. */
static unsigned checks_profile_inst_at(const struct checks *c, uint64_t pc, unsigned *type)
{
	const uint32_t raw = raw_at(c, pc);
	const int s = hint_of(raw);
	if (s < 8 || s > 15)
		return 0;
	const uint32_t next = raw_at(c, pc + checks_inst_bytes(raw));
	const int own = hint_of(next);
	if ((own >= 8 && own <= 50) || own == 1 << 20)
		return 0;
	*type = (unsigned)s - 8;
	return checks_inst_bytes(raw) + checks_inst_bytes(next);
}

/* ---- the table ---- */
static struct line *checks_bdt_set(struct checks *c, uint64_t leader)
{
	return c->line[(leader >> 1) % (uint64_t)checks_config(c)->bdt_sets];
}

static struct line *checks_find_bdt_line(struct checks *c, uint64_t leader)
{
	for (int64_t w = 0; checks_config(c)->bdt_sets && w < checks_config(c)->bdt_ways; w++)
		if (checks_bdt_set(c, leader)[w].valid &&
		    checks_bdt_set(c, leader)[w].leader == leader)
			return &checks_bdt_set(c, leader)[w];
	return NULL;
}

static void checks_touch_bdt_line(struct checks *c, struct line *l)
{
	if (checks_config(c)->bdt_replacement == BDT_LRU)
		l->used = ++c->clock;
}

static void checks_decode_profile_inst(struct checks *c, uint64_t pc, bool on)
{
	unsigned type = 0;
	const unsigned bytes = checks_profile_inst_at(c, pc, &type);
	assert_true(bytes);
	if (!c->leader || c->type != type || c->leader == pc) {
		c->leader = pc;
		c->type = type;
		c->count = 0;
	}
	c->count++;
	struct line *l = checks_find_bdt_line(c, c->leader);
	if (!l && (on || !checks_config(c)->bdt_sets))
		return;
	if (!l) {
		l = checks_bdt_set(c, c->leader);
		for (int64_t w = 1; w < checks_config(c)->bdt_ways; w++)
			if (checks_bdt_set(c, c->leader)[w].used < l->used)
				l = &checks_bdt_set(c, c->leader)[w];
		*l = (struct line){.valid = true,
		                   .locked = true,
		                   .leader = c->leader,
		                   .follow = pc + bytes,
		                   .count = c->count,
		                   .used = ++c->clock};
		c->seen.made++;
		return;
	}
	checks_touch_bdt_line(c, l);
	if (l->locked && pc >= l->follow) {
		l->follow = pc + bytes;
		l->count = c->count;
		c->seen.grew++;
	}
	if (l->locked && pc == l->leader) {
		l->locked = false;
		c->seen.unlocked++;
	}
	c->seen.updated += l->on != on;
	l->on = on;
}

static void decode_control(struct checks *c, uint64_t pc)
{
	const uint32_t raw = raw_at(c, pc);
	c->leader = 0;
	if (hint_of(raw) != 1 << 20)
		return;
	const uint64_t from = pc + 4, to = from + (uint64_t)((int64_t)(int32_t)raw >> 20);
	struct line *l = checks_find_bdt_line(c, from);
	if (l && !l->locked && l->follow != to) {
		*l = (struct line){0};
		c->seen.stale++;
	}
}

static void checks_on_fetch(struct checks *c, uint64_t pc, bool skipped)
{
	unsigned type;
	struct line *l = checks_profile_inst_at(c, pc, &type) ? checks_find_bdt_line(c, pc) : NULL;
	if (l)
		checks_touch_bdt_line(c, l);
	if (skipped !=
	    (l && !l->locked && !l->on && l->count >= (unsigned)checks_config(c)->bdt_min_block))
		fail_msg("%#llx was %s", (unsigned long long)pc,
		         skipped ? "skipped" : "not skipped");
	c->seen.skips += skipped;
}

static void checks_on_squash(struct checks *c)
{
	struct line *l = c->leader ? checks_find_bdt_line(c, c->leader) : NULL;
	if (l && l->locked) {
		*l = (struct line){0};
		c->seen.abandoned++;
	}
	c->leader = 0;
	c->decoded_early = 0;
}

static void checks_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct checks *c = ctx;
	const struct uop *u = ev->slot == EVENT_NO_SLOT ? NULL : &machine_pipe(m)->pool[ev->slot];
	unsigned type;
	switch (ev->id) {
	case EV_SQUASH:
		checks_on_squash(c);
		break;
	case EV_DROP:
		checks_decode_profile_inst(c, ev->pc, false);
		break;
	case EV_DISPATCH:
		if (!checks_profile_inst_at(c, ev->pc, &type))
			c->leader = 0;
		else if (ev->seq != c->decoded_early)
			checks_decode_profile_inst(c, ev->pc, true);
		break;
	case EV_CONTROL:
		decode_control(c, ev->pc);
		break;
	case EV_FETCH:
		/* Where nothing may be executed there is no look-up. */
		if (ev->fetch.bytes)
			checks_on_fetch(c, ev->pc, u && (u->flags & UF_SKIPS));
		break;
	case EV_COMMIT:
		if (ev->op == OP_FENCE_I && checks_config(c)->bdt_fence)
			memset(c->line, 0, sizeof c->line);
		break;
	default:
		break;
	}
}

/* Every line of the machine's table is one of the model's, and the other way round. */
static void compare_tables(struct checks *c)
{
	const struct bdt *t = &machine_pipe(c->m)->xprof.bdt;
	unsigned here = 0, there = 0;
	for (size_t i = 0; i < ((size_t)t->mask + 1) * t->ways; i++) {
		const struct bdt_entry *e = &t->entry[i];
		const struct line *l = e->leader ? checks_find_bdt_line(c, e->leader) : NULL;
		here += e->leader != 0;
		if (e->leader && (!l || l->follow != e->follow || l->count != e->count ||
		                  l->locked != e->locked || l->on != e->on))
			fail_msg("cycle %llu: entry of %#llx: follow %#llx, %u instructions, "
			         "locked %u, on %u; the model says %#llx, %u, %u, %u",
			         (unsigned long long)machine_cycle(c->m),
			         (unsigned long long)e->leader, (unsigned long long)e->follow,
			         e->count, e->locked, e->on, l ? (unsigned long long)l->follow : 0,
			         l ? l->count : 0, l && l->locked, l && l->on);
	}
	for (unsigned s = 0; s < SETS_MAX; s++)
		for (unsigned w = 0; w < WAYS_MAX; w++)
			there += c->line[s][w].valid;
	assert_int_equal(here, there);
}

/* ---- prediction bits: decode's flags, and what the queue will do to them ---- */
static void compare_bits(const struct checks *c)
{
	const struct pipe *p = machine_pipe(c->m);
	const struct xprof_state *st = p->xprof.st;
	unsigned expected = st->known, unsure = 0;
	for (unsigned k = 0; k < 8; k++)
		unsure |= (unsigned)(st->pop_slot[k] != NO_SLOT) << k;
	for (uint32_t i = 0; i < p->st->fetchq_count; i++) {
		const struct uop *u = pipe_fetchq_at(p, i);
		const unsigned bit = 1u << (u->inst.imm & 7);
		if (u->prefix_len)
			continue;
		if (u->inst.op == OP_SETPF || u->inst.op == OP_RESETPF) {
			expected = u->inst.op == OP_SETPF ? expected | bit : expected & ~bit;
			unsure &= ~bit;
		}
	}
	if (((st->bits ^ expected) & ~unsure) != 0)
		fail_msg("cycle %llu: prediction bits %#x, expected %#x",
		         (unsigned long long)machine_cycle(c->m), st->bits, expected);
}

struct checks *checks_new(struct machine *m)
{
	const struct event_filter f = {.mask = EV_BIT(SQUASH) | EV_BIT(DROP) | EV_BIT(DISPATCH) |
	                                       EV_BIT(CONTROL) | EV_BIT(FETCH) | EV_BIT(COMMIT)};
	struct checks *c = calloc(1, sizeof *c);
	assert_non_null(c);
	c->m = m;
	assert_true(checks_config(c)->bdt_sets <= SETS_MAX &&
	            checks_config(c)->bdt_ways <= WAYS_MAX);
	assert_true(machine_listen(m, &f, checks_on_event, c) > 0);
	return c;
}

void checks_cycle(struct checks *c)
{
	const struct pipe *p = machine_pipe(c->m);
	const struct uop *head = p->st->fetchq_count ? pipe_fetchq_at(p, 0) : NULL;
	/* Decode has found the flag on, but the instruction has no room yet. */
	if (head && (head->flags & UF_FLAG_SEEN) && head->seq != c->decoded_early) {
		checks_decode_profile_inst(c, head->pc, true);
		c->decoded_early = head->seq;
	}
	compare_tables(c);
	compare_bits(c);
	c->seen.cycles++;
}

const struct checks_seen *checks_seen(const struct checks *c)
{
	return &c->seen;
}

void checks_free(struct checks *c)
{
	free(c);
}
