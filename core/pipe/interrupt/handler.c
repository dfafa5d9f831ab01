#include "core/pipe/interrupt/handler.h"

#include "core/base/hash.h"
#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/mem/mem.h"
#include "core/pipe/memory/prefetch_l1.h"
#include "core/prof/common/prof.h"
#include "core/prof/values/vsample.h"

static bool is_upcall(const struct pipe *p)
{
	return p->cfg->vsample_method == VSAMPLE_BY_UPCALL;
}

static uint64_t handler_routines_address(const struct pipe *p)
{
	return is_upcall(p) ? VSAMPLE_LIBRARY_ROUTINES : VSAMPLE_ROUTINES;
}

struct access handler_load(struct pipe *p, uint64_t addr, unsigned size, uint64_t now)
{
	hierarchy_own(&p->mem, 0, 0);
	return p->mem.heeds
	               ? hierarchy_heed_load(&p->mem, handler_routines_address(p), addr, size, now)
	               : hierarchy_load(&p->mem, addr, size, now);
}

struct access handler_store(struct pipe *p, uint64_t addr, unsigned size, uint64_t now)
{
	hierarchy_own(&p->mem, 0, 0);
	return p->mem.heeds
	               ? hierarchy_heed_store(&p->mem, handler_routines_address(p), addr, size, now)
	               : hierarchy_store(&p->mem, addr, size, now);
}

static void handler_fetch_code(struct pipe *p, uint64_t addr, uint64_t now)
{
	if (p->mem.heeds)
		hierarchy_heed_fetch(&p->mem, addr, now);
	else
		hierarchy_fetch(&p->mem, addr, now);
}

void handler_begin_lines(struct pipe *p)
{
	struct vsample_state *v = p->prof->vsample->st;
	v->code_lines = v->data_lines = v->varied_lines = v->library_lines = v->routine_left = 0;
	v->frame = v->frame_end = 0;
}

static void touch_code(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = p->prof->vsample->st;
	const uint64_t line = (uint64_t)p->cfg->l1i_line;
	if (v->code_lines < (uint64_t)p->cfg->vsample_code_lines) {
		handler_fetch_code(p, VSAMPLE_BASE + line * v->code_lines++, now);
	} else if (is_upcall(p) && v->phase != VSAMPLE_ENTERED &&
	           v->library_lines < (uint64_t)p->cfg->vsample_library_lines) {
		handler_fetch_code(p, VSAMPLE_LIBRARY + line * v->library_lines++, now);
	} else if (v->routine_left) {
		handler_fetch_code(p, v->routine, now);
		v->routine += line;
		v->routine_left--;
	}
}

/* True if this interrupt touches the i-th of the varied lines. Uses a hash, not the sampler's
 * random numbers, so that the footprint does not change the time of the next interrupt. */
static bool goes_through(const struct pipe *p, uint64_t i)
{
	const uint64_t n = 2 * (uint64_t)p->cfg->vsample_varied_lines,
		       interrupt = p->stats->vsample_interrupts + p->stats->vsample_bounces;
	return hash_word(hash_word(HASH_WORDS_START, interrupt), i) % (n * n) <
	       (2 * i + 1) * (2 * i + 1);
}

static void touch_data(struct pipe *p, uint64_t now)
{
	struct vsample_state *v = p->prof->vsample->st;
	const uint64_t line = (uint64_t)p->cfg->l1d_line,
		       varied = (uint64_t)p->cfg->vsample_varied_lines;
	while (v->varied_lines < varied && !goes_through(p, v->varied_lines))
		v->varied_lines++;
	if (v->data_lines < (uint64_t)p->cfg->vsample_data_lines) {
		if (handler_load(p, VSAMPLE_DATA + line * v->data_lines, 8, now).accepted)
			v->data_lines++;
	} else if (v->varied_lines < varied) {
		if (handler_load(p, VSAMPLE_VARIED + line * v->varied_lines, 8, now).accepted)
			v->varied_lines++;
	} else if (v->frame < v->frame_end && handler_store(p, v->frame, 8, now).accepted) {
		v->frame = (v->frame | (line - 1)) + 1;
	}
}

void handler_touch(struct pipe *p, uint64_t now)
{
	touch_code(p, now);
	touch_data(p, now);
}

bool handler_rests(const struct pipe *p)
{
	const struct vsample_state *v = p->prof->vsample->st;
	const struct config *c = p->cfg;
	const bool in_library = is_upcall(p) && v->phase != VSAMPLE_ENTERED;
	return v->code_lines >= (uint64_t)c->vsample_code_lines &&
	       (!in_library || v->library_lines >= (uint64_t)c->vsample_library_lines) &&
	       !v->routine_left && v->data_lines >= (uint64_t)c->vsample_data_lines &&
	       v->varied_lines >= (uint64_t)c->vsample_varied_lines && v->frame >= v->frame_end;
}

void handler_begin_routine(struct pipe *p, unsigned op)
{
	struct vsample_state *v = p->prof->vsample->st;
	v->routine_left = (uint64_t)p->cfg->vsample_inst_lines;
	v->routine =
		handler_routines_address(p) + op * v->routine_left * (uint64_t)p->cfg->l1i_line;
}

void handler_write_record(struct pipe *p, uint64_t addr, uint64_t now)
{
	const uint64_t line = (uint64_t)p->cfg->l1d_line,
		       end = addr + vsample_record_bytes(p->prof->vsample->capture);
	for (; addr < end; addr = (addr | (line - 1)) + 1)
		handler_store(p, addr, 8, now);
}

bool handler_may_write(const struct pipe *p, uint64_t addr, unsigned size)
{
	return (mem_prot_at(p->ram, addr) & (PROT_W | PROT_M)) == PROT_W &&
	       (mem_prot_at(p->ram, addr + size - 1) & (PROT_W | PROT_M)) == PROT_W;
}

bool handler_push_frame(struct pipe *p)
{
	struct vsample_state *v = p->prof->vsample->st;
	const struct hart *h = p->hart;
	const uint64_t room = (uint64_t)p->cfg->vsample_frame_bytes,
		       zone = (uint64_t)p->cfg->vsample_red_zone, sp = h->r[REG_SP];
	const uint64_t end = (sp - zone) & ~UINT64_C(15), start = (end - room) & ~UINT64_C(15);
	/* The frame must fit into the stack; outside of it, sp may point into a small array. */
	if (sp < zone + room + 16 || sp > MEM_TOP || start < p->os->stack_low(p->os->ctx, end))
		return false;
	for (uint64_t at = start; at < end; at = (at | (PAGE_BYTES - 1)) + 1)
		if (!handler_may_write(p, at, 1))
			return false;
	unsigned reg = 0;
	for (uint64_t at = end; at > start;) {
		at -= 8;
		mem_store(p->ram, at, 8, reg ? reg < REG_SINK ? h->r[reg] : 0 : h->pc);
		reg++;
	}
	v->frame = start;
	v->frame_end = end;
	return true;
}
