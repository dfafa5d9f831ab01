/* Places, assembly, causes and numbers as views write them, written a second time for tests. */
#include "core/pipe/pipe.h"
#include "core/pipe/why.h"
#include "hwviews/grid/view.h"
#include "hwviews/reports/report.h"
#include "hwviews/why/charges.h"
#include "tests/unit/cells/profiling_cells.h"
#include "tests/unit/cells/view_cells.h"

char *some_text(void)
{
	static char texts[16][256];
	static unsigned next;
	return texts[next++ % 16];
}

int ascending(uint64_t first, uint64_t second)
{
	return first < second ? -1 : first > second;
}

const char *grouped(uint64_t v)
{
	char plain[32], *out = some_text(), *at = out;
	const int n = snprintf(plain, sizeof plain, "%llu", (ull)v);
	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			*at++ = ',';
		*at++ = plain[i];
	}
	*at = '\0';
	return out;
}

void says_uint(struct cells *c, const char *column, uint64_t v)
{
	says_word(c, column, RAW_UINT, v, "%s", grouped(v));
}

void says_hex(struct cells *c, const char *column, uint64_t v)
{
	says_word(c, column, RAW_HEX, v, "0x%llx", (ull)v);
}

const char *place_of(const struct session *s, uint64_t addr)
{
	char *out = some_text();
	size_t n;
	const struct symbol *all = program_symbols(s->program, &n), *best = NULL;
	for (size_t i = 0; i < n; i++) {
		const uint64_t end = all[i].size ? all[i].addr + all[i].size
		                     : i + 1 < n ? all[i + 1].addr
		                                 : all[i].addr;
		/* the first of several names */
		const bool again = best && best->addr == all[i].addr && best->size;
		/* a label within a function does not name its code */
		if (addr >= all[i].addr && addr < end && !again &&
		    (!best || all[i].size || !best->size))
			best = &all[i];
	}
	const struct mem *mem = machine_mem_const(s->machine);
	*out = '\0';
	/* a label names addresses of its own region only */
	for (struct mem_region r = {0}; best && !best->size && mem_next_region(mem, r.end, &r);)
		if (addr >= r.start && addr < r.end &&
		    (best->addr < r.start || best->addr > r.end)) {
			best = NULL;
			break;
		}
	if (best && addr == best->addr)
		snprintf(out, 256, "%s", best->name);
	else if (best)
		snprintf(out, 256, "%s+0x%llx", best->name, (ull)(addr - best->addr));
	for (struct mem_region r = {0}; !best && mem_next_region(mem, r.end, &r);) {
		const int64_t from_sp = (int64_t)(addr - machine_reg(s->machine, REG_SP));
		if (addr < r.start || addr >= r.end)
			continue;
		if (strcmp(r.name, "stack") != 0)
			snprintf(out, 256, "%s+0x%llx", r.name, (ull)(addr - r.start));
		else if (from_sp == 0)
			snprintf(out, 256, "sp");
		else if (from_sp >= -4096 && from_sp <= 4096)
			snprintf(out, 256, "sp%+lld", (long long)from_sp);
		else
			snprintf(out, 256, "stack-0x%llx", (ull)(r.end - addr));
	}
	return out;
}

const char *addr_of(const struct session *s, uint64_t addr)
{
	const char *place = place_of(s, addr);
	if (*place)
		return place;
	char *out = some_text();
	snprintf(out, 256, "0x%llx", (ull)addr);
	return out;
}

void says_addr(struct cells *c, const char *column, const struct session *s, uint64_t addr)
{
	says_word(c, column, RAW_HEX, addr, "%s", addr_of(s, addr));
}

void says_due(struct cells *c, const char *column, uint64_t now, uint64_t cycle)
{
	if (cycle == NO_CYCLE)
		says_nothing(c, column);
	else if (cycle <= now)
		says_word(c, column, RAW_UINT, cycle, "now, %s", grouped(cycle));
	else
		says_word(c, column, RAW_UINT, cycle, "%llu left, %s", (ull)(cycle - now),
		          grouped(cycle));
}

void says_since(struct cells *c, const char *column, uint64_t now, uint64_t cycle)
{
	if (cycle == NO_CYCLE)
		says_nothing(c, column);
	else
		says_word(c, column, RAW_UINT, cycle, "%llu ago, %s", (ull)(now - cycle),
		          grouped(cycle));
}

void assembly(const struct session *s, const struct inst *in, uint64_t pc, char *out)
{
	const unsigned flags = op_info[in->op].flags;
	inst_disasm(in, pc, out, 128);
	char *hex = strstr(out, "0x");
	if ((flags & (OPF_BRANCH | OPF_JUMP)) && !(flags & OPF_INDIRECT) && hex)
		snprintf(hex, 128 - (size_t)(hex - out), "%s",
		         addr_of(s, pc + (uint64_t)(int64_t)in->imm));
}

const char *assembly_at(const struct session *s, uint64_t pc)
{
	uint32_t raw = 0;
	struct inst in;
	char *out = some_text();
	assert_true(machine_peek(s->machine, pc, &raw, 4));
	inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &in);
	assembly(s, &in, pc, out);
	return out;
}

const char *eighths_bar(double share, unsigned width)
{
	static const char *const eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
	char *out = some_text();
	unsigned left = share >= 1 ? 8 * width : (unsigned)(share * width * 8 + 0.5);
	*out = '\0';
	if (!left && share > 0)
		left = 1;
	for (unsigned i = 0; i < width; i++) {
		strcat(out, left >= 8 ? "█" : eighths[left]);
		left -= left < 8 ? left : 8;
	}
	return out;
}

const char *assembly_of(const struct session *s, const struct uop *u)
{
	struct inst in = u->inst;
	char *out = some_text();
	if (u->trap != TRAP_NONE && in.raw) /* a fault has dropped the destination */
		inst_decode(in.raw, &in);
	*out = '\0';
	if (u->prefix_len)
		snprintf(out, 16, "pi.%u ", u->profile_type);
	assembly(s, &in, u->pc + u->prefix_len, out + strlen(out));
	return out;
}

bool wrong_path(const struct pipe *p, const struct uop *u)
{
	return (u->flags & UF_WRONG_PATH) ||
	       (u->state == UOP_FETCHED && p->st->spec_slot != NO_SLOT);
}

const char *number_of(const struct pipe *p, const struct uop *u)
{
	char *out = some_text();
	snprintf(out, 256, "#%llu%s", (ull)u->seq, wrong_path(p, u) ? "?" : "");
	return out;
}

const char *phase_of(const struct uop *u)
{
	static const char *const words[UOP_STATE_COUNT] = {
		[UOP_FREE] = "free",           [UOP_FETCHED] = "fetched",
		[UOP_WAITING] = "waiting",     [UOP_READY] = "ready",
		[UOP_EXECUTING] = "executing", [UOP_ADDRESS] = "address",
		[UOP_MEMORY] = "memory",       [UOP_DONE] = "done",
		[UOP_RETIRED] = "retired",     [UOP_SQUASHED] = "squashed",
		[UOP_DROPPED] = "dropped",     [UOP_CONTROL] = "acted"};
	return words[u->state];
}

const char *served_by(unsigned level)
{
	static const char *const words[LEVEL_COUNT] = {"",        "forwarded", "write buffer",
	                                               "L1D hit", "L2",        "memory"};
	return words[level];
}

const char *wait_of(const struct pipe *p, const struct uop *u)
{
	const struct why w = uop_why(p, u);
	const char *tlb = u->flags & UF_TLB_MISS ? "TLB, " : "",
		   *pool[] = {"int", "imuldiv", "fadd", "fmuldiv", "mem", "div"};
	const ull o = w.other;
	char *out = some_text();
	switch (w.id) {
	case WHY_FETCHING:
		return "being fetched";
	case WHY_DECODE_TURN:
		return "decode's turn";
	case WHY_DECODE_WIDTH:
		return "decode slots taken";
	case WHY_ROB_FULL:
		return "reorder buffer full";
	case WHY_LSQ_FULL:
		return "load/store queue full";
	case WHY_IQ_FULL:
		return "issue queue full";
	case WHY_DECODE_TAKEN:
		snprintf(out, 256, "decode taken #%llu", o);
		return out;
	case WHY_SERIAL_BEFORE:
		return "older must commit";
	case WHY_SERIAL_AFTER:
		snprintf(out, 256, "after serialising #%llu", o);
		return out;
	case WHY_FAULT_BEFORE:
		return "after a fault";
	case WHY_FLAG:
		snprintf(out, 256, "flag %u #%llu", w.operand, o);
		return out;
	case WHY_OPERAND:
	case WHY_OWN_DATA:
		snprintf(out, 256, "%s #%llu", reg_name(w.operand), o);
		return out;
	case WHY_IN_ORDER:
		snprintf(out, 256, "older not issued #%llu", o);
		return out;
	case WHY_UNIT:
		snprintf(out, 256, "%s unit, all %u taken", pool[w.pool], p->fu_count[w.pool]);
		return out;
	case WHY_ISSUE_WIDTH:
		return "issue slots taken";
	case WHY_WAW:
		snprintf(out, 256, "same destination #%llu", o);
		return out;
	case WHY_WRITE_PORT:
		return "no write port";
	case WHY_STAGE:
		snprintf(out, 256, "execute stage taken #%llu", o);
		return out;
	case WHY_MISS_BEFORE:
		snprintf(out, 256, "after a miss #%llu", o);
		return out;
	case WHY_WRITTEN:
		return "written";
	case WHY_L1D_PORT:
		return "no port of L1D";
	case WHY_L2_HELD:
		return "L2 taken";
	case WHY_STORE_ADDRESS:
		snprintf(out, 256, "older store's address #%llu", o);
		return out;
	case WHY_STORE_DATA:
		snprintf(out, 256, "older store's data #%llu", o);
		return out;
	case WHY_STORE_COMMIT:
		snprintf(out, 256, "partial overlap #%llu", o);
		return out;
	case WHY_MSHR:
		return "no miss register";
	case WHY_LINE:
		return "its line's list full";
	case WHY_EXECUTING:
	case WHY_AGEN:
		return "executing";
	case WHY_FORWARD:
		snprintf(out, 256, "forwarded #%llu", o);
		return out;
	case WHY_BUFFERED:
		return "write buffer";
	case WHY_L1:
		snprintf(out, 256, "%sL1D", tlb);
		return out;
	case WHY_L2:
		snprintf(out, 256, "%sL2", tlb);
		return out;
	case WHY_MEMORY:
		snprintf(out, 256, "%smemory", tlb);
		return out;
	case WHY_BUS:
		snprintf(out, 256, "%sbus", tlb);
		return out;
	case WHY_TLB:
		return "TLB miss";
	case WHY_COMMIT_DELAY:
		return "commits next";
	case WHY_COMMIT_TURN:
		return "turn";
	case WHY_WRITE_BUFFER:
		return "write buffer full";
	case WHY_SYSCALL:
		return "system call";
	case WHY_SQUASHED:
		return "squashed";
	case WHY_MOVING:
	case WHY_COMMITTED:
		return "";
	default:
		fail_msg("#%llu: this test has no words for cause %d: add them to "
		         "tests/unit/cells/cell_words.c",
		         (ull)u->seq, (int)w.id);
		return "";
	}
}

/* ---- the largest loss of a place ---- */
/* Rows that one remedy removes; each other row is a cause of its own. */
static const char *const spent_together[] = {
	"wrong_path branch_refill", "replayed replay_refill", "itlb dtlb",
	"icache_l2 icache_memory", "fetch_width fetch_taken fetch_line",
	"l2 l2_held memory bus mshr write_buffer",
};

static bool spent_is_in(const char *rows, const char *row)
{
	const char *at = strstr(rows, row);
	return at && (at == rows || at[-1] == ' ') && strchr(" ", at[strlen(row)]);
}

static bool spent_one_cause(const char *a, const char *b)
{
	for (size_t i = 0; i < sizeof spent_together / sizeof *spent_together; i++)
		if (spent_is_in(spent_together[i], a) && spent_is_in(spent_together[i], b))
			return true;
	return !strcmp(a, b);
}

/* The name of a row of lost slots; NULL: of another kind. */
static const char *spent_row(unsigned i)
{
	const struct stat_row *row = charge_stat(i);
	const bool lost = row && !strncmp(row->name, "slots.", 6) &&
	                  strcmp(row->name, "slots.retired") != 0 &&
	                  strcmp(row->name, "slots.in_flight") != 0;
	return lost ? row->name + 6 : NULL;
}

const char *largest_cause(const int64_t rows[CHARGED], int64_t *cause, int64_t *largest)
{
	const char *out = "";
	*cause = *largest = 0;
	for (unsigned i = 0; i < CHARGED; i++) {
		int64_t sum = 0, most = 0;
		const char *name = "";
		for (unsigned k = 0; spent_row(i) && rows[i] > 0 && k < CHARGED; k++) {
			if (!spent_row(k) || rows[k] <= 0 ||
			    !spent_one_cause(spent_row(i), spent_row(k)))
				continue;
			sum += rows[k];
			name = rows[k] > most ? spent_row(k) : name;
			most = rows[k] > most ? rows[k] : most;
		}
		if (sum <= *cause)
			continue;
		*cause = sum;
		*largest = most;
		out = name;
	}
	return out;
}

uint64_t spent_time(const int64_t rows[CHARGED])
{
	int64_t out = 0;
	for (unsigned i = 0; i < CHARGED; i++)
		if (charge_stat(i) && !strncmp(charge_stat(i)->name, "slots.", 6))
			out += rows[i];
	return (uint64_t)out;
}

const char *spent_on(const int64_t rows[CHARGED], uint64_t slots, int64_t *lost)
{
	int64_t cause, most, held = 0;
	const char *on = largest_cause(rows, &cause, &most);
	for (unsigned i = 0; i < CHARGED; i++)
		held += spent_row(i) ? rows[i] : 0;
	const bool named = cause && (10 * (uint64_t)cause >= slots || 2 * (uint64_t)held > slots);
	if (named && !strcmp(on, "latency_int")) { /* lat.int=1: it is as short as can be */
		int64_t rest[CHARGED], other, other_most;
		for (unsigned i = 0; i < CHARGED; i++)
			rest[i] = spent_row(i) && !strcmp(spent_row(i), on) ? 0 : rows[i];
		const char *then = largest_cause(rest, &other, &other_most);
		if (3 * other >= cause) {
			on = then;
			cause = other;
			most = other_most;
		}
	}
	*lost = spent_one_cause(on, "wrong_path") ? cause : most;
	if (named)
		return on;
	*lost = 0;
	return 10 * (uint64_t)held > slots ? "base" : "";
}
