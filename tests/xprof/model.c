#include "tests/xprof/model.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 1 << 20, PBLEN = 64 };

/* Which of Xprof's own instructions the bits are, by their number in the hint space; -1: another
 * instruction. */
static int model_xprof_hint_number(uint32_t raw)
{
	int s = -1;
	if ((raw & 0xef83) == 0x0002)
		s = (int)((raw >> 2 & 31) | (raw >> 12 & 1) << 5);
	else if ((raw & 0xfffff) == 0x0a013)
		s = (int)(raw >> 20);
	else if ((raw & 0xfffff) == 0x02013)
		return PBLEN;
	return s >= 8 && s <= 50 ? s : -1;
}

static unsigned model_inst_bytes(uint32_t raw)
{
	return (raw & 3) == 3 ? 4 : 2;
}

static bool model_fetch_inst(const struct model *model, uint64_t pc, uint32_t *raw)
{
	const struct mem *mem = machine_mem_const(model->m);
	*raw = 0;
	return (mem_prot_at(mem, pc) & PROT_X) && mem_peek(mem, pc, raw, 2) &&
	       (model_inst_bytes(*raw) == 2 ||
	        ((mem_prot_at(mem, pc + 2) & PROT_X) && mem_peek(mem, pc, raw, 4)));
}

/* Whether there is anything where byte `at` of flags lies: of the program's own memory, or of the
 * shadow of that, or of its end. */
static bool model_flag_byte_is_mapped(const struct mem *mem, uint64_t at, bool stores)
{
	const unsigned need = stores ? PROT_W : PROT_R;
	if (at < SHADOW_BASE || at - SHADOW_BASE > MEM_TOP / 2 + 7)
		return (mem_prot_at(mem, at) & (need | PROT_M)) == need;
	const uint64_t of = (at - SHADOW_BASE) / 8 * 16;
	return mem_prot_at(mem, of) || (of && mem_prot_at(mem, of - 1));
}

/* pushpf, poppf: a byte for each flag. */
static void model_exec_push_pop_flags(struct model *model, int s)
{
	struct hart *h = machine_hart(model->m);
	struct mem *mem = machine_mem(model->m);
	const bool pushes = s < 40 || s == 48;
	for (unsigned k = s >= 48 ? 0 : (unsigned)s & 7; k <= (s >= 48 ? 7 : (unsigned)s & 7);
	     k++) {
		const uint64_t at = h->pfbase + h->r[X_SP] / 16 * 8 + k;
		uint8_t byte = h->pflags >> k & 1;
		if (!model_flag_byte_is_mapped(mem, at, pushes)) {
			byte = 0;
			model->unreached += s < 48 || k == 0;
		} else if (pushes) {
			assert_true(mem_poke(mem, at, &byte, 1));
		} else {
			assert_true(mem_peek(mem, at, &byte, 1));
		}
		if (!pushes)
			h->pflags = (h->pflags & ~(UINT64_C(1) << k)) | (byte & UINT64_C(1)) << k;
	}
}

/* One instruction. Returns whether it counts; what ends the program sets trap. */
static bool model_step_inst(struct model *model)
{
	struct hart *h = machine_hart(model->m);
	uint32_t raw, next;
	struct exec done;
	struct inst in;
	int s = model_fetch_inst(model, h->pc, &raw) ? model_xprof_hint_number(raw) : -1;
	if (s >= 32 && s < 50) {
		model_exec_push_pop_flags(model, s);
		h->pc += model_inst_bytes(raw);
		return true;
	}
	if (s >= 8) {
		const uint64_t type = UINT64_C(1) << (s & 7);
		h->pc += model_inst_bytes(raw);
		if (s < 16 && model_fetch_inst(model, h->pc, &next) &&
		    model_xprof_hint_number(next) < 0) {
			if (!(h->pflags & type)) {
				h->pc += model_inst_bytes(next);
				return false;
			}
			raw = next;
		} else {
			h->pflags = s < 16 || s > 31 ? h->pflags
			            : s < 24         ? h->pflags & ~type
			                             : h->pflags | type;
			return false;
		}
	}
	if (!model_fetch_inst(model, h->pc, &raw)) {
		model->trap = TRAP_FETCH_FAULT;
		return false;
	}
	inst_decode(raw, &in);
	model->reserves |= in.op == OP_LR_W || in.op == OP_LR_D;
	h->xprof = (inst_flags(&in) & OPF_CSR) != 0;
	model->trap = isa_exec(h, machine_mem(model->m), &in, &done);
	h->xprof = 0;
	return !model->trap;
}

struct model *model_run_machine(struct machine *m)
{
	struct model *model = calloc(1, sizeof *model);
	assert_non_null(model);
	model->m = m;
	machine_hart(m)->xprof = 0;
	for (uint64_t n = 0; !model->trap; n++) {
		const uint64_t pc = machine_hart(m)->pc;
		assert_true(n < STEPS_MAX);
		if (!model_step_inst(model))
			continue;
		if (model->count == model->room) {
			model->room = model->room ? 2 * model->room : 1024;
			model->trace = realloc(model->trace, model->room * sizeof *model->trace);
			assert_non_null(model->trace);
		}
		model->trace[model->count++] = (struct model_step){pc, machine_hart(m)->pflags};
	}
	return model;
}

struct model *model_run(const struct guest *g)
{
	return model_run_machine(boot(g, ""));
}

void model_free(struct model *model)
{
	machine_free(model->m);
	free(model->trace);
	free(model);
}

static void same_memory(const struct machine *a, const struct machine *b, uint64_t from,
                        uint64_t bytes)
{
	static uint8_t x[PAGE_BYTES], y[PAGE_BYTES];
	for (uint64_t at = from; at < from + bytes; at += PAGE_BYTES) {
		assert_true(mem_peek(machine_mem_const(a), at, x, sizeof x));
		assert_true(machine_peek(b, at, y, sizeof y));
		if (memcmp(x, y, sizeof x) != 0)
			fail_msg("memory differs in the page at %#llx", (unsigned long long)at);
	}
}

void model_agrees(const struct model *model, const struct machine *m)
{
	const struct hart *h = machine_hart(model->m);
	if (model->trap == TRAP_ECALL) {
		assert_int_equal(machine_status(m), MACHINE_EXITED);
	} else {
		assert_int_equal(machine_status(m), MACHINE_FAULTED);
		assert_int_equal(machine_fault(m)->trap, model->trap);
		assert_int_equal(machine_fault(m)->pc, h->pc);
	}
	for (unsigned r = 1; r < 32; r++)
		if (machine_reg(m, r) != h->r[r])
			fail_msg("x%u is %#llx, the model says %#llx", r,
			         (unsigned long long)machine_reg(m, r),
			         (unsigned long long)h->r[r]);
	assert_int_equal(flags_committed(m), h->pflags);
	assert_int_equal(machine_pipe(m)->hart->pfbase, h->pfbase);
	assert_int_equal(machine_stats(m)->xprof_unreached, model->unreached);
	same_memory(model->m, m, DATA, DATA_BYTES);
	same_memory(model->m, m, SHADOW_BASE + DATA / 2, DATA_BYTES / 2 + PAGE_BYTES);
}

void model_agrees_trace(const struct model *model, const struct log *l)
{
	size_t n = 0;
	for (size_t i = 0; i < l->count; i++) {
		const struct event *ev = &l->event[i];
		if (ev->id != EV_COMMIT || ev->pc >= FIRMWARE_BASE)
			continue;
		if (n == model->count) { /* the exit */
			assert_int_equal(model->trap, TRAP_ECALL);
			continue;
		}
		if (ev->pc != model->trace[n].pc)
			fail_msg("instruction %zu to commit is at %#llx, the model's at %#llx", n,
			         (unsigned long long)ev->pc,
			         (unsigned long long)model->trace[n].pc);
		n++;
	}
	assert_int_equal(n, model->count);
}
