/* Cells of the views of firmware's registers and of the profile that it keeps, against hart,
 * device, guest memory and what committed: see view_cells.h. */
#include "tests/unit/cells/view_cells.h"

#include "core/isa/csr.h"
#include "core/prof/common/device.h"
#include "core/prof/common/firmware.h"
#include "core/prof/common/prof.h"

enum { PCS = 1 << 19, TEXT_AT = 0x10000, ENTRIES = 4096 };

/* ---- registers ---- */
static const char *cause_of(unsigned irq)
{
	static const char *const names[] = {
		[7] = "timer", [16] = "instructions", [17] = "sampler", [18] = "co-processor"};
	assert_true(irq < sizeof names / sizeof *names && names[irq]);
	return names[irq];
}

static void profiles_cells_check_csr(struct cells *c, const struct session *s, const char *name,
                                     uint64_t v)
{
	char means[256] = "";
	const struct csr_info *info = csr_info;
	while (strcmp(info->name, name) != 0)
		assert_true(++info < csr_info + csr_info_count);
	if (!strcmp(name, "mstatus"))
		snprintf(means, sizeof means,
		         "interrupts in M-mode %s; before the last: mode %s, interrupts %s",
		         v >> 3 & 1 ? "on" : "off", v >> 11 & 3 ? "M" : "U",
		         v >> 7 & 1 ? "on" : "off");
	else if (!strcmp(name, "mie") || !strcmp(name, "mip"))
		for (unsigned i = 0; i < 64; i++)
			snprintf(means + strlen(means), v >> i & 1 ? 64 : 1, "%s%u %s",
			         *means ? ", " : "", i, v >> i & 1 ? cause_of(i) : "");
	else if (!strcmp(name, "mcause"))
		snprintf(means, v >> 63 ? sizeof means : 1, "interrupt %u, %s", (unsigned)(v & 63),
		         v >> 63 ? cause_of(v & 63) : "");
	else if (strcmp(name, "mtval") != 0)
		snprintf(means, sizeof means, "%s", place_of(s, v & ~UINT64_C(1)));
	cells_row(c);
	says(c, "register", "%s", name);
	says_hex(c, "value", v);
	says(c, "means", "%s", means);
	says(c, "is", "%s", info->help);
}

static void read_timer(struct cells *c, const char *name, uint64_t v, uint64_t counter,
                       const char *unit, const char *is)
{
	const bool compares = strstr(name, "cmp");
	cells_row(c);
	says(c, "register", "%s", name);
	if (v == UINT64_MAX)
		says_hex(c, "value", v);
	else
		says_uint(c, "value", v);
	if (v == UINT64_MAX)
		says(c, "means", "never");
	else if (compares && v > counter)
		says(c, "means", "in %s %s", grouped(v - counter), unit);
	else
		says(c, "means", "%s", compares ? "pending" : "");
	says(c, "is", "%s", is);
}

/* False: a register is just being written, and what stands there is not known to be committed. */
static bool profiles_cells_check_firmware(const struct session *s)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct uop *first = p->st->rob_count ? pipe_rob_at(p, 0) : NULL;
	const struct hart *h = p->hart;
	const struct firmware_state *st = p->prof->firmware->st;
	const uint64_t now = machine_cycle(s->machine), insts = machine_stats(s->machine)->insts;
	struct cells c;
	if (first && (first->op_flags & OPF_CSR))
		return false;
	cells_open(&c, s, "firmware");
	profiles_cells_check_csr(&c, s, "mstatus", h->mstatus);
	profiles_cells_check_csr(&c, s, "mie", h->mie);
	profiles_cells_check_csr(&c, s, "mtvec", h->mtvec);
	profiles_cells_check_csr(&c, s, "mscratch", h->mscratch);
	profiles_cells_check_csr(&c, s, "mepc", h->mepc);
	profiles_cells_check_csr(&c, s, "mcause", h->mcause);
	profiles_cells_check_csr(&c, s, "mtval", h->mtval);
	profiles_cells_check_csr(&c, s, "mip", prof_pending(p->prof));
	read_timer(&c, "mtime", now, now, "cycles", "cycles");
	read_timer(&c, "mtimecmp", st->mtimecmp, now, "cycles", "when the timer interrupts");
	read_timer(&c, "minst", insts, insts, "instructions", "instructions of the program");
	read_timer(&c, "minstcmp", st->minstcmp, insts, "instructions",
	           "the number after which it interrupts");
	cells_close(&c);
	return true;
}

TEST(registers_are_those_of_hart_and_device)
{
	static const char *const firmware[] = {"build/demos/firmware/tick.elf",
	                                       "build/demos/firmware/pcprofile.elf"};
	unsigned pending = 0, inside = 0;
	for (unsigned i = 0; i < 2; i++) {
		struct session *s = open_launch(
			&(struct launch){.path = "build/demos/fib", .firmware = firmware[i]}, NULL);
		for (unsigned k = 0; k < 60000; k++) {
			machine_step(s->machine);
			const bool asks = prof_pending(machine_pipe(s->machine)->prof),
				   within = machine_pipe(s->machine)->hart->mode == MODE_M;
			if (k % 211 == 0 || (k % 7 == 0 && (asks || within))) {
				const bool read = profiles_cells_check_firmware(s);
				pending += read && asks;
				inside += read && within;
			}
		}
		session_free(s);
	}
	assert_true(pending && inside);
}

/* ---- the profile ---- */
struct place {
	uint64_t pc, samples, exact;
};

struct committed {
	uint64_t at[PCS], all; /* by (pc - TEXT_AT) / 2 */
};

static void profiles_cells_on_commit(void *ctx, const struct machine *m, const struct event *ev)
{
	struct committed *k = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	if (u->flags & UF_MACHINE)
		return;
	assert_true((ev->pc - TEXT_AT) / 2 < PCS);
	k->at[(ev->pc - TEXT_AT) / 2]++;
	k->all++;
}

static int profiles_cells_compare_by_samples(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	return x->samples != y->samples ? x->samples > y->samples ? -1 : 1
	       : x->pc < y->pc          ? -1
	                                : x->pc > y->pc;
}

/* Firmware's profile, in the form of demos/firmware/firmware.h. */
static unsigned peek_profile(const struct session *s, struct place *out, uint64_t *sum)
{
	struct {
		uint64_t magic, kind, entries, capacity, samples, dropped, period, table;
	} h;
	const struct symbol *sym =
		program_symbol_by_name(program_firmware(s->program), "firmware_profile");
	unsigned n = 0;
	assert_non_null(sym);
	assert_true(machine_peek(s->machine, sym->addr, &h, sizeof h));
	*sum = 0;
	for (uint64_t i = 0; h.table && i < h.capacity; i++) {
		uint64_t entry[2];
		assert_true(
			machine_peek(s->machine, h.table + sizeof entry * i, entry, sizeof entry));
		if (!entry[1])
			continue;
		assert_true(n < ENTRIES);
		out[n++] = (struct place){.pc = entry[0], .samples = entry[1]};
		*sum += entry[1];
	}
	assert_int_equal(*sum, h.samples - h.dropped);
	return n;
}

static void profiles_cells_check_percent(struct cells *c, const char *column, double share)
{
	says_double(c, column, 100 * share, "%.2f%%", 100 * share);
}

static void read_profile(const struct session *s, const struct committed *k, bool functions,
                         bool oracle)
{
	static struct place all[ENTRIES];
	uint64_t sum;
	unsigned n = peek_profile(s, all, &sum), kept = 0;
	struct cells c;
	for (unsigned i = 0; i < n; i++) {
		const struct symbol *sym = program_symbol_at(s->program, all[i].pc);
		all[i].exact = k->at[(all[i].pc - TEXT_AT) / 2];
		if (functions && sym) {
			all[i].pc = sym->addr;
			all[i].exact = 0;
			for (uint64_t pc = sym->addr; pc < sym->addr + sym->size; pc += 2)
				all[i].exact += k->at[(pc - TEXT_AT) / 2];
		}
		unsigned j = 0;
		while (j < kept && all[j].pc != all[i].pc)
			j++;
		if (j < kept)
			all[j].samples += all[i].samples;
		else
			all[kept++] = all[i];
	}
	qsort(all, kept, sizeof *all, profiles_cells_compare_by_samples);
	cells_open(&c, s, functions ? "profile functions" : "profile 12");
	for (unsigned i = 0; i < kept && i < (functions ? 20 : 12); i++) {
		const double share = (double)all[i].samples / (double)sum;
		struct source_line at;
		uint32_t raw;
		struct inst in;
		char text[128] = "", line[128] = "";
		assert_int_equal(cells_row(&c)->pc, all[i].pc);
		says_hex(&c, "address", all[i].pc);
		says_uint(&c, "samples", all[i].samples);
		profiles_cells_check_percent(&c, "share", share);
		profiles_cells_check_percent(&c, "error", sqrt(share * (1 - share) / (double)sum));
		if (oracle)
			profiles_cells_check_percent(&c, "exact",
			                             (double)all[i].exact / (double)k->all);
		if (program_stop_line_at(s->program, all[i].pc, &at))
			snprintf(line, sizeof line, " (%s:%u)",
			         strrchr(at.file, '/') ? strrchr(at.file, '/') + 1 : at.file,
			         at.line);
		says(&c, "place", "%s%s", addr_of(s, all[i].pc), line);
		assert_true(machine_peek(s->machine, all[i].pc, &raw, 4));
		inst_decode((raw & 3) == 3 ? raw : raw & 0xffff, &in);
		if (!functions)
			assembly(s, &in, all[i].pc, text);
		says(&c, "instruction", "%s", text);
	}
	cells_close(&c);
}

TEST(profiles_are_what_firmware_keeps)
{
	for (unsigned i = 0; i < 2; i++) {
		struct session *s = open_launch(
			&(struct launch){.path = "build/demos/fib",
		                         .firmware = "build/demos/firmware/pcprofile.elf"},
			i ? NULL : "oracle.enable=true");
		const struct event_filter filter = {.mask = EV_BIT(COMMIT)};
		static struct committed k;
		k = (struct committed){.all = 0};
		assert_true(machine_listen(s->machine, &filter, profiles_cells_on_commit, &k) > 0);
		for (unsigned stop = 0; stop < 12; stop++) {
			read_profile(s, &k, false, !i && k.all);
			read_profile(s, &k, true, !i && k.all);
			run_for(s, 30011);
		}
		static struct place all[ENTRIES];
		uint64_t sum;
		assert_true(peek_profile(s, all, &sum) > 4 && sum > 10);
		session_free(s);
	}
}

TEST(profiles_cells_are_complete)
{
	views_are_complete("profiles");
}
