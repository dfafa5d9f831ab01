#include "tests/timing/harness.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/machine/params.h"
#include "core/mem/mem.h"
#include "core/machine/machine.h"
#include "core/pipe/pipe.h"
#include "scripting/config/config_lua.h"
#include "tests/timing/bench.h"
#include "tests/timing/encode.h"

/* A machine limited only by a test's settings: wide, with ample resources, a line for each fetch,
 * predicted loops. Latencies and caches are the default preset's. */
static const char wide[] =
	"pipe.fetch_width=16 pipe.decode_width=16 pipe.issue_width=16 pipe.commit_width=16 "
        "pipe.fetch_queue=64 "
	"pipe.rob_size=256 lsq.size=256 fu.int=16 fu.imuldiv=16 fu.fadd=16 fu.fmuldiv=16 fu.mem=16 "
	"bpred.kind=taken l1i.line=64 l2.line=64 bus.bytes=64 l1d.mshrs=0 l1d.mshr_targets=0 "
        "l1d.write_buffer=0";

/* The same with caches of 8, 16 lines (L1D) and 16 lines (L2): a walk over 32 lines misses in both.
 */
static const char small_caches[] = "l1d.size=256 l2.size=1K";

static _Noreturn void harness_fail(const char *what, const char *why)
{
	fprintf(stderr, "timing: %s: %s\n", what, why);
	exit(2);
}

static void set_options(struct bench *b, struct config *cfg, const char *options, bool droppable)
{
	char text[1024], *rest = text;
	snprintf(text, sizeof text, "%s", options);
	for (char *word; (word = strtok_r(rest, " ", &rest));) {
		struct err err;
		size_t name = strcspn(word, "=");
		if (droppable && b->ignore && strlen(b->ignore) == name &&
		    !strncmp(word, b->ignore, name))
			continue;
		if (!config_set_assignment(cfg, word, &err))
			harness_fail(word, err.msg);
	}
}

static void set_base(struct bench *b, struct config *cfg, const char *base)
{
	struct err err;
	config_default(cfg);
	if (!strcmp(base, "wide") || !strcmp(base, "small caches")) {
		set_options(b, cfg, wide, false);
		if (*base == 's')
			set_options(b, cfg, small_caches, false);
	} else if (!config_load(cfg, base, &err)) {
		harness_fail(base, err.msg);
	}
}

struct program *program_new(void)
{
	struct program *p = calloc(1, sizeof *p);
	if (!p)
		harness_fail("program", "out of memory");
	p->x[X_DATA] = DATA;
	return p;
}

void emit(struct program *p, uint32_t inst)
{
	emit16(p, (uint16_t)inst);
	emit16(p, (uint16_t)(inst >> 16));
}

void emit16(struct program *p, uint16_t inst)
{
	if (p->size + 2 > TEXT_BYTES)
		harness_fail("program", "too long");
	memcpy(p->text + p->size, &inst, 2);
	p->size += 2;
}

void nops(struct program *p, int64_t n)
{
	while (n-- > 0)
		emit(p, rv_nop());
}

void go_to(struct program *p, uint32_t bytes, uint32_t offset)
{
	uint32_t at = (p->size + bytes - 1) / bytes * bytes + offset;
	if (at > TEXT_BYTES)
		harness_fail("program", "too long");
	p->size = at;
}

void set_word(struct program *p, uint64_t addr, uint64_t value)
{
	if (p->words == WORDS)
		harness_fail("program", "too many words");
	p->word[p->words].addr = addr;
	p->word[p->words++].value = value;
}

void set_ring(struct program *p, int64_t n, int64_t stride)
{
	for (int64_t i = 0; i < n; i++)
		set_word(p, DATA + (uint64_t)(i * stride), DATA + (uint64_t)((i + 1) % n * stride));
}

void emit_exit(struct program *p)
{
	emit(p, rv_addi(10, 0, 0));
	emit(p, rv_addi(17, 0, 93));
	emit(p, rv_ecall());
}

struct machine *machine_for(struct bench *b, const char *base, const char *options,
                            const struct program *p)
{
	struct config cfg;
	struct err err;
	set_base(b, &cfg, base);
	set_options(b, &cfg, options, true);
	struct machine *m = machine_new(&cfg, &err);
	if (!m)
		harness_fail(options, err.msg);
	struct mem *mem = machine_mem(m);
	bool ok = mem_map(mem, TEXT, TEXT_BYTES, PROT_R | PROT_X, "text") &&
	          mem_map(mem, DATA, DATA_BYTES, PROT_R | PROT_W, "data") &&
	          mem_poke(mem, TEXT, p->text, p->size);
	for (unsigned i = 0; i < p->words; i++)
		ok &= mem_poke(mem, p->word[i].addr, &p->word[i].value, 8);
	if (!ok)
		harness_fail("program", "does not fit in guest memory");
	struct hart *h = machine_hart(m);
	const double one = 1;
	memcpy(h->r, p->x, sizeof p->x);
	for (unsigned f = 0; f < 32; f++)
		memcpy(&h->r[REG_F0 + f], &one, sizeof one);
	h->pc = TEXT;
	machine_start(m, DATA + DATA_BYTES);
	return m;
}

/* The program of a loop: body, then count down and branch back; from beyond a branch's reach,
 * branch out. */
static struct program *loop_program(body_fn *body, int64_t arg, int count)
{
	struct program *p = program_new();
	p->x[X_COUNT] = (uint64_t)count;
	body(p, arg);
	emit(p, rv_addi(X_COUNT, X_COUNT, -1));
	if (p->size <= 4096) {
		emit(p, rv_bne(X_COUNT, 0, -(int32_t)p->size));
	} else {
		emit(p, rv_beq(X_COUNT, 0, 8));
		emit(p, rv_jal(0, -(int32_t)p->size));
	}
	emit_exit(p);
	return p;
}

static void run_to_exit(struct machine *m, const char *options)
{
	machine_run(m, 20000000, UINT64_MAX);
	if (machine_status(m) != MACHINE_EXITED || machine_exit_status(m) != 0)
		harness_fail(options, "the program did not exit as it should");
}

static int by_age(const void *a, const void *b)
{
	const struct uop *x = a, *y = b;
	return (x->seq > y->seq) - (x->seq < y->seq);
}

unsigned trace(struct bench *b, const char *base, const char *options, const struct program *p,
               struct uop *out, unsigned max)
{
	struct machine *m = machine_for(b, base, options, p);
	run_to_exit(m, options);
	const struct pipe *pipe = machine_pipe(m);
	unsigned n = 0;
	if (pipe->st->next_seq > pipe->pool_size)
		harness_fail(options, "the program is too long to be traced");
	for (uint32_t i = 0; i < pipe->pool_size; i++)
		if (pipe->pool[i].seq && pipe->pool[i].seq <= max)
			out[n++] = pipe->pool[i];
	qsort(out, n, sizeof *out, by_age);
	machine_free(m);
	return n;
}

const struct uop *committed_at(const struct uop *uops, unsigned n, uint64_t pc)
{
	for (unsigned i = 0; i < n; i++)
		if (uops[i].pc == pc && uops[i].state == UOP_RETIRED)
			return &uops[i];
	harness_fail("trace", "an instruction did not commit");
}

static const struct stat_row *stat_row_of(const char *name)
{
	struct err err;
	const struct stat_row *row = stat_find(name, &err);
	if (!row)
		harness_fail(name, err.msg);
	return row;
}

/* The statistic at the end of `count` rounds. */
static int64_t run_loop(struct bench *b, const char *base, const char *options, body_fn *body,
                        int64_t arg, const char *stat, int count)
{
	if (b->ignore && b->noticed)
		return 0; /* nothing more to learn */
	struct program *p = loop_program(body, arg, count);
	struct machine *m = machine_for(b, base, options, p);
	run_to_exit(m, options);
	int64_t value = (int64_t)stat_value(machine_stats(m), stat_row_of(stat));
	machine_free(m);
	free(p);
	return value;
}

int64_t rounds_stat(struct bench *b, const char *base, const char *options, body_fn *body,
                    int64_t arg, const char *stat)
{
	return run_loop(b, base, options, body, arg, stat, 2 * ROUNDS) -
	       run_loop(b, base, options, body, arg, stat, ROUNDS);
}

int64_t rounds(struct bench *b, const char *base, const char *options, body_fn *body, int64_t arg)
{
	return rounds_stat(b, base, options, body, arg, "sim.cycles");
}

int64_t whole_run(struct bench *b, const char *base, const char *options, body_fn *body,
                  int64_t arg, int count, const char *stat)
{
	return run_loop(b, base, options, body, arg, stat, count);
}

const char *with(const char *format, ...)
{
	static char text[16][256];
	static unsigned next;
	char *buf = text[next++ % 16];
	va_list ap;
	va_start(ap, format);
	vsnprintf(buf, sizeof text[0], format, ap);
	va_end(ap);
	return buf;
}

bool check_within(struct bench *b, const char *parameter, const char *setting, const char *what,
                  int64_t lo, int64_t hi, int64_t measured)
{
	bool ok = measured >= lo && measured <= hi;
	if (b->ignore) { /* only this parameter's own checks count as noticing */
		b->noticed |= !ok && !strcmp(parameter, b->ignore);
		return ok;
	}
	bench_claim(b, parameter);
	b->passed += ok;
	b->failed += !ok;
	const char *expected =
		lo == hi ? with("%" PRId64, lo) : with("%" PRId64 "..%" PRId64, lo, hi);
	printf("%-6s %-22s %-52s %-48s expected %8s measured %8" PRId64 "\n", ok ? "ok" : "FAIL",
	       parameter, setting, what, expected, measured);
	return ok;
}

bool check(struct bench *b, const char *parameter, const char *setting, const char *what,
           int64_t expected, int64_t measured)
{
	return check_within(b, parameter, setting, what, expected, expected, measured);
}

bool check_rounds(struct bench *b, const char *parameter, const char *base, const char *options,
                  body_fn *body, int64_t arg, const char *what, int64_t per_round)
{
	if (b->ignore && strcmp(parameter, b->ignore) != 0)
		return true; /* would not count */
	return check(b, parameter, options, what, per_round * ROUNDS,
	             rounds(b, base, options, body, arg));
}
