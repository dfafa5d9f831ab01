#include "core/machine/params.h"
#include "tests/xprof/bench.h"
#include "core/prof/common/firmware.h"
#include "core/machine/plugin_places.h"
#include "core/pipe/xprof/xprof.h"

#include <stdlib.h>
#include <string.h>

#include "core/prof/common/prof.h"

/* ---- guests ---- */
struct guest *guest_new(void)
{
	struct guest *g = calloc(1, sizeof *g);
	assert_non_null(g);
	g->x[X_DATA] = DATA;
	g->x[X_SP] = SP;
	return g;
}

void put16(struct guest *g, uint32_t inst)
{
	const uint16_t parcel = (uint16_t)inst;
	assert_true(g->size + 2 <= TEXT_BYTES);
	memcpy(g->text + g->size, &parcel, 2);
	g->size += 2;
}

void put(struct guest *g, uint32_t inst)
{
	put16(g, inst);
	put16(g, inst >> 16);
}

void nops(struct guest *g, unsigned n)
{
	while (n--)
		put(g, rv_nop());
}

void go_to(struct guest *g, uint32_t at)
{
	assert_true(at >= g->size && at < TEXT_BYTES);
	g->size = at;
}

void land(struct guest *g, uint64_t at, uint32_t (*make)(int32_t offset))
{
	const uint32_t inst = make((int32_t)(bench_next_pc(g) - at));
	memcpy(g->text + (at - TEXT), &inst, 4);
}

void finish(struct guest *g)
{
	put(g, rv_addi(10, 0, 0)); /* a0 would receive the call's result */
	put(g, rv_addi(17, 0, 93));
	put(g, rv_ecall());
}

void hint(struct guest *g, unsigned s)
{
	if (g->wide)
		put(g, 0x0000a013 | s << 20); /* slti x0, x1, S */
	else
		put16(g, 0x0002 | (s & 31) << 2 | (s >> 5) << 12);
}

void pblen(struct guest *g, int32_t bytes)
{
	put(g, 0x00002013 | (uint32_t)bytes << 20); /* slti x0, x0, L */
}

uint64_t prof(struct guest *g, unsigned k, uint32_t inst)
{
	const uint64_t at = bench_next_pc(g);
	bench_emit_pi(g, k);
	if ((inst & 3) == 3)
		put(g, inst);
	else
		put16(g, inst);
	return at;
}

/* ---- machines ---- */
void configure(struct config *cfg, const char *options)
{
	struct err err;
	char copy[1024], *rest = copy;
	config_default(cfg);
	snprintf(copy, sizeof copy, "%s", options);
	for (char *word; (word = strtok_r(rest, " ", &rest));)
		if (!config_set_assignment(cfg, word, &err))
			fail_msg("%s", err.msg);
}

static struct machine *bench_load_machine(const struct guest *g, const char *options,
                                          const struct plugins *plugins)
{
	struct config cfg;
	struct err err;
	configure(&cfg, options);
	if (plugins)
		plugins_ask(plugins, &cfg);
	struct machine *m = machine_new_with(&cfg, plugins, &err);
	if (!m)
		fail_msg("%s", err.msg);
	struct mem *mem = machine_mem(m);
	assert_true(mem_map(mem, TEXT, TEXT_BYTES, PROT_R | PROT_W | PROT_X, "text"));
	assert_true(mem_map(mem, DATA, DATA_BYTES, PROT_R | PROT_W, "data"));
	assert_true(mem_map(mem, SHADOW_BASE, SHADOW_BYTES, PROT_M, "profile flags"));
	assert_true(mem_poke(mem, TEXT, g->text, g->size));
	struct hart *h = machine_hart(m);
	memcpy(h->r, g->x, sizeof g->x);
	h->pc = TEXT;
	h->pflags = g->pflags;
	h->pfbase = SHADOW_BASE;
	return m;
}

struct machine *boot(const struct guest *g, const char *options)
{
	return boot_with(g, options, NULL);
}

struct machine *boot_with(const struct guest *g, const char *options, const struct plugins *plugins)
{
	struct machine *m = bench_load_machine(g, options, plugins);
	machine_start(m, SP);
	return m;
}

struct machine *boot_interrupted(const struct guest *g, const char *options, unsigned period)
{
	const uint64_t data = FIRMWARE_BASE + PAGE_BYTES, device = DEVICE_BASE;
	const uint32_t handler[] = {
		enc_i(OP_CSRRW, 5, 5, 0x340), /* mscratch: firmware's data */
		rv_sd(6, 0, 5),
		rv_sd(7, 8, 5),
		rv_ld(6, 16, 5),
		rv_ld(7, 0, 6),
		rv_addi(7, 7, (int32_t)period),
		/* To firmware these are no-ops: setpf 0, resetpf 1, pushpf 1, poppf 2 and a prefix
	           of type 3. */
		0x0180a013,
		0x0110a013,
		0x0210a013,
		0x02a0a013,
		0x00b0a013,
		rv_sd(7, 8, 6),
		rv_ld(7, 24, 5),
		rv_addi(7, 7, 1),
		rv_sd(7, 24, 5),
		rv_ld(7, 8, 5),
		rv_ld(6, 0, 5),
		enc_i(OP_CSRRW, 5, 5, 0x340),
		ENC(MRET),
	};
	char all[1024];
	snprintf(all, sizeof all, "firmware.enable=true %s", options);
	struct machine *m = bench_load_machine(g, all, NULL);
	struct mem *mem = machine_mem(m);
	struct hart *h = machine_hart(m);
	assert_true(mem_map(mem, FIRMWARE_BASE, PAGE_BYTES, PROT_R | PROT_X | PROT_M, "firmware") &&
	            mem_map(mem, data, PAGE_BYTES, PROT_R | PROT_W | PROT_M, "firmware's data") &&
	            mem_poke(mem, FIRMWARE_BASE, handler, sizeof handler) &&
	            mem_poke(mem, data + 16, &device, 8));
	h->mtvec = FIRMWARE_BASE;
	h->mscratch = data;
	h->mie = UINT64_C(1) << IRQ_TIMER;
	machine_pipe(m)->prof->firmware->st->mtimecmp = period;
	machine_start(m, SP);
	return m;
}

void run_to_end(struct machine *m)
{
	machine_run(m, CYCLES_MAX, UINT64_MAX);
	assert_int_not_equal(machine_status(m), MACHINE_RUNNING);
}

uint64_t peek(const struct machine *m, uint64_t addr)
{
	uint64_t v = 0;
	assert_true(machine_peek(m, addr, &v, sizeof v));
	return v;
}

int64_t stat(const struct machine *m, const char *name)
{
	struct err err;
	const struct stat_row *row = stat_find(name, &err);
	if (!row)
		fail_msg("%s", err.msg);
	return (int64_t)stat_value(machine_stats(m), row);
}

unsigned flags_committed(const struct machine *m)
{
	return xprof_committed_flags(machine_pipe(m));
}

/* ---- logs ---- */
static void bench_append_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct log *l = ctx;
	(void)m;
	if (l->count == l->room) {
		l->room = l->room ? 2 * l->room : 1024;
		l->event = realloc(l->event, l->room * sizeof *l->event);
		assert_non_null(l->event);
	}
	l->event[l->count++] = *ev;
}

struct log *log_new(struct machine *m)
{
	const struct event_filter all = {.mask = (UINT64_C(1) << EV_COUNT) - 1};
	struct log *l = calloc(1, sizeof *l);
	assert_non_null(l);
	l->m = m;
	assert_true(machine_listen(m, &all, bench_append_event, l) > 0);
	return l;
}

struct log *run(const struct guest *g, const char *options)
{
	struct log *l = log_new(boot(g, options));
	run_to_end(l->m);
	return l;
}

void log_free(struct log *l)
{
	machine_free(l->m);
	free(l->event);
	free(l);
}

unsigned count(const struct log *l, enum event_id id, uint64_t pc)
{
	unsigned n = 0;
	for (size_t i = 0; i < l->count; i++)
		n += l->event[i].id == id && l->event[i].pc == pc;
	return n;
}

unsigned count_all(const struct log *l, enum event_id id)
{
	unsigned n = 0;
	for (size_t i = 0; i < l->count; i++)
		n += l->event[i].id == id;
	return n;
}

const struct event *nth(const struct log *l, enum event_id id, uint64_t pc, unsigned n)
{
	const struct event *found = NULL;
	for (size_t i = 0; i < l->count && !found; i++)
		if (l->event[i].id == id && l->event[i].pc == pc && !n--)
			found = &l->event[i];
	if (!found)
		fail_msg("no such event: %s at %#llx", event_info[id].name, (unsigned long long)pc);
	return found;
}

uint64_t cycle_of(const struct log *l, enum event_id id, uint64_t pc, unsigned n)
{
	return nth(l, id, pc, n)->cycle;
}

int64_t cycles_of(const struct guest *g, const char *options)
{
	struct machine *m = boot(g, options);
	run_to_end(m);
	assert_int_equal(machine_status(m), MACHINE_EXITED);
	const int64_t cycles = (int64_t)machine_cycle(m);
	machine_free(m);
	return cycles;
}

static bool bench_scale_is(const char *name)
{
	const char *scale = getenv("CYCLOPS_TEST_SCALE");
	return scale && strcmp(scale, name) == 0;
}

bool small(void)
{
	return bench_scale_is("small");
}

bool large(void)
{
	return bench_scale_is("long");
}

uint64_t random_of(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state * UINT64_C(0x2545f4914f6cdd1d);
}
