/* Builds a machine: places its parts in one arena, and connects system calls, devices and the
 * pipeline. */
#include "core/defs/config_fields.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/populate.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine_priv.h"
#include "core/machine/plugin_places.h"
#include "core/os/thread.h"
#include "core/pipe/variant.h"
#include "core/prof/values/vsample.h"
#include "core/trap/trap.h"

static void machine_place_state(struct machine *m, struct arena *a)
{
	m->stats = arena_take(a, "statistics", 1, sizeof *m->stats);
	thread_stats_place(m, a);
	journal_place(&m->journal, a);
	os_place(m->os, a);
	m->pipe.stats = m->prof.stats = m->stats;
	pipe_place(&m->pipe, a);
	m->prof.cycle = m->pipe.st ? &m->pipe.st->cycle : NULL; /* not while sizing */
	m->prof.plugins = &m->pipe.plugins;
	m->prof.pool = m->pipe.pool;
	m->prof.pool_size = m->pipe.pool_size;
	prof_place(&m->prof, a);
	if (m->prof.vsample)
		m->prof.vsample->os = m->os;
}

#ifdef CYCLOPS_CHECK
static void check_os(const struct os *os)
{
	struct err err;
	struct range_search s = range_search(&err);
	os_ranges(os, &s.rs);
	const char *wrong = s.ok ? os_state_error(os) : err.msg;
	if (wrong)
		__assert_fail(wrong, __FILE__, __LINE__, __func__);
}
#endif

static bool machine_port_serve_syscall(void *ctx, struct hart *h)
{
	struct machine *m = ctx;
	const struct os_state *os = os_state_const(m->os);
	uint64_t before[2] = {os->out_bytes[0], os->out_bytes[1]};
	const uint64_t slice_end = os_slice_end(m->os);
	bool served = os_syscall(m->os, h, m->mem);
	if (os_slice_end(m->os) < slice_end)
		m->interrupt = 1; /* ends the inner run, whose limit is now sooner */
	for (unsigned i = 0; i < 2; i++)
		m->pipe.events.wrote[i] += os->out_bytes[i] - before[i];
#ifdef CYCLOPS_CHECK
	check_os(m->os);
#endif
	if (served)
		machine_tell_streams(m, true);
	return served;
}

static bool machine_port_thread_switched(void *ctx)
{
	return os_switched(((const struct machine *)ctx)->os);
}

static uint16_t begins_later(void *ctx, uint64_t cycles)
{
	struct machine *m = ctx;
	os_begin_later(m->os, cycles);
	thread_stats_switched(m, m->pipe.st->cycle + cycles);
	return machine_thread(m);
}

static uint64_t machine_port_syscall_result(void *ctx)
{
	return os_state_const(((const struct machine *)ctx)->os)->returned;
}

static uint64_t machine_port_system_word(void *ctx, enum system_word which)
{
	return os_system_word(((const struct machine *)ctx)->os, which);
}

static uint64_t machine_port_stack_low(void *ctx, uint64_t top)
{
	const struct machine *m = ctx;
	return os_stack_low(m->os, m->mem, top);
}

static bool machine_port_program_ended(void *ctx, struct outcome *out)
{
	return machine_ended(ctx, out);
}

/* Gives the pipeline its ports to the other components. */
static void machine_connect_components(struct machine *m)
{
	m->os_port = (struct os_port){.ctx = m,
	                              .serve = machine_port_serve_syscall,
	                              .result = machine_port_syscall_result,
	                              .switched = machine_port_thread_switched,
	                              .begins_later = begins_later,
	                              .word = machine_port_system_word,
	                              .stack_low = machine_port_stack_low,
	                              .ended = machine_port_program_ended};
	machine_connect_signals(m);
	m->pipe.cfg = &m->cfg;
	m->pipe.ram = m->mem;
	m->pipe.os = &m->os_port;
	m->pipe.prof = &m->prof;
	m->prof.cfg = &m->cfg;
	m->prof.events = &m->pipe.events;
	m->pipe.interrupt = &m->interrupt;
}

/* Attaches the state that devices keep outside the arena, for snapshots. */
static bool attach_devices(struct machine *m, struct err *err)
{
	for (unsigned i = 0; i < m->prof.count; i++) {
		const struct device *v = m->prof.present[i];
		void *ctx = v->attachment ? v->attachment_ctx(&m->prof) : NULL;
		if (ctx && !machine_attach(m, v->attachment, ctx, NULL, err))
			return false;
	}
	m->device_attachments = m->attachments;
	/* so that other attachments' ids do not depend on the devices */
	m->last_attachment = DEVICE_COUNT;
	return true;
}

struct machine *machine_new(const struct config *cfg, struct err *err)
{
	return machine_new_with(cfg, NULL, err);
}

struct machine *machine_new_with(const struct config *cfg, const struct plugins *plugins,
                                 struct err *err)
{
	return machine_new_like(cfg, plugins, SIZE_MAX, err);
}

struct machine *machine_new_like(const struct config *cfg, const struct plugins *plugins,
                                 size_t arena_bytes, struct err *err)
{
	if (!config_check(cfg, err) || !plugins_check(plugins, cfg, err))
		return NULL;
	struct machine *m = alloc_zeroed(1, sizeof *m);
	if (!m)
		goto no_memory;
	m->cfg = *cfg;
	m->mem = mem_new();
	m->os = os_new(&m->cfg, &m->journal);
	m->pipe.events.room = EVENTS_PER_CYCLE_MAX;
	m->pipe.events.events = alloc_zeroed(EVENTS_PER_CYCLE_MAX, sizeof *m->pipe.events.events);
	m->listeners = listeners_new();
	m->alarms = alarms_new();
	m->attachment =
		alloc_zeroed(DEVICE_COUNT, sizeof *m->attachment); /* see attachments_take() */
	m->changed_cycle = UINT64_MAX;
	if (!m->mem || !m->os || !m->pipe.events.events || !m->listeners || !m->alarms ||
	    !m->attachment || !prof_alloc(&m->prof))
		goto no_memory;
	mem_set_isa(m->mem, (unsigned)m->cfg.isa);
	mem_limit_sparse(m->mem, (uint64_t)m->cfg.memory / PAGE_BYTES);
	machine_connect_components(m);
	if (!machine_reserve(m))
		goto no_memory;
	m->pipe.given = plugins;
	struct arena sizing = {0};
	machine_place_state(m, &sizing);
	size_t bytes = (sizing.used + ARENA_CHUNK - 1) & ~(size_t)(ARENA_CHUNK - 1);
	if (arena_bytes != SIZE_MAX && bytes != arena_bytes) {
		machine_free(m);
		err_set(err,
		        "the machine saved in it has %zu bytes of state, and its configuration "
		        "needs %zu",
		        arena_bytes, bytes);
		return NULL;
	}
	m->arena.base = alloc_aligned(ARENA_CHUNK, bytes);
	if (!m->arena.base)
		goto no_memory;
	populate_memory(m->arena.base, bytes);
	memset(m->arena.base, 0, bytes);
	m->arena.stale = alloc_zeroed(bytes / ARENA_CHUNK, 1);
	if (!m->arena.stale)
		goto no_memory;
	machine_place_state(m, &m->arena);
	m->pipe.given = NULL;
	m->arena.used = bytes;
	arena_watch(m);
	os_reset(m->os);
	os_set_interrupt(m->os, &m->interrupt);
	pipe_reset(&m->pipe);
	prof_reset(&m->prof);
	if (prof_init(&m->prof, err) && attach_devices(m, err))
		return m;
	machine_free(m);
	return NULL;
no_memory:
	machine_free(m);
	err_set(err, "out of memory for the machine's state");
	return NULL;
}

void machine_free(struct machine *m)
{
	if (!m)
		return;
	if (m->mem)
		mem_free(m->mem);
	if (m->os)
		os_free(m->os);
	journal_deinit(&m->journal);
	prof_deinit(&m->prof);
	attachments_deinit(m);
	free(m->arena.base);
	free(m->arena.stale);
	cow_free(m->shadow);
	free(m->pipe.events.events);
	listeners_free(m->listeners);
	alarms_free(m->alarms);
	free(m->later.bytes);
	free(m);
}

void machine_start(struct machine *m, uint64_t brk)
{
	struct os_state *os = os_state(m->os);
	os->brk_start = os->brk = brk;
	os_begin_stack(m->os, m->pipe.hart->r[REG_SP]);
	machine_adopt_hart(m);
}

bool machine_boot_firmware(struct machine *m, uint64_t entry, struct err *err)
{
	if (!m->cfg.firmware)
		return err_set(err,
		               "this machine has no M-mode for firmware: set firmware.enable=true");
	if ((entry & 1) || !(mem_prot_at(m->mem, entry) & PROT_X))
		return err_set(err, "firmware can't begin at 0x%llx: nothing may be executed there",
		               (unsigned long long)entry);
	trap_boot(m->pipe.hart, m->mem, entry);
	return true;
}
