/* Rules between parameters, beyond each one's own range. */
#include "core/defs/config_fields.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/defs/choices.h"
#include "core/defs/kinds.h"

static bool config_is_power_of_two(int64_t v)
{
	return v > 0 && !(v & (v - 1));
}

/* Nearest power of two that is not above v, v >= 1. */
static int64_t config_floor_power_of_two(int64_t v)
{
	return INT64_C(1) << (63 - __builtin_clzll((uint64_t)v));
}

static bool check_power(const char *name, int64_t v, struct err *err)
{
	if (config_is_power_of_two(v))
		return true;
	int64_t below = config_floor_power_of_two(v);
	return err_set(err,
	               "%s: %" PRId64 " is not a power of two: %" PRId64 " or %" PRId64 " would be",
	               name, v, below, 2 * below);
}

/* The number of sets must come out as a power of two. */
static bool check_cache(const char *name, int64_t size, int64_t ways, int64_t line, struct err *err)
{
	char row[32];
	const char *const part[] = {"size", "line"};
	const int64_t value[] = {size, line};
	for (int i = 0; i < 2; i++) {
		snprintf(row, sizeof row, "%s.%s", name, part[i]);
		if (!check_power(row, value[i], err))
			return false;
	}
	if (line > size)
		return err_set(err,
		               "%s.line: a line of %" PRId64 " bytes does not fit %s.size, %" PRId64
		               " bytes",
		               name, line, name, size);
	if (config_is_power_of_two(ways) && ways <= size / line)
		return true;
	int64_t most = size / line, right = config_floor_power_of_two(ways) < most
	                                            ? config_floor_power_of_two(ways)
	                                            : most;
	return err_set(err,
	               "%s.ways: %" PRId64 " ways do not divide the %" PRId64
	               " lines of %s into sets: "
	               "a power of two up to %" PRId64 " would, such as %" PRId64,
	               name, ways, most, name, most, right);
}

static bool check_l2_line(const char *name, int64_t line, int64_t l2_line, struct err *err)
{
	if (line <= l2_line)
		return true;
	return err_set(err,
	               "l2.line: %" PRId64 " bytes is less than %s.line; expected %" PRId64
	               " or more",
	               l2_line, name, line);
}

/* Profiling hardware reads and interprets RV64's instructions. launch_config() takes flags away. */
static bool check_rv32(const struct config *c, struct err *err)
{
	const struct {
		const char *name;
		int64_t on;
	} hardware[] = {
#define DEVICE(ID, field, ...) {#field ".enable", c->field},
#include "core/defs/devices.def"
	};
	for (size_t i = 0; c->isa == ISA_RV32GC && i < sizeof hardware / sizeof *hardware; i++)
		if (hardware[i].on)
			return err_set(err,
			               "%s: a 32-bit machine has no profiling hardware; expected "
			               "%s=false, or a program of 64 bits",
			               hardware[i].name, hardware[i].name);
	return true;
}

bool config_check(const struct config *c, struct err *err)
{
	const struct {
		const char *name;
		int64_t value;
	} powers[] = {
		{"bpred.bimodal_size", c->bpred_bimodal},
		{"bpred.l1_size", c->bpred_l1},
		{"bpred.l2_size", c->bpred_l2},
		{"bpred.meta_size", c->bpred_meta},
		{"bpred.perceptrons", c->bpred_perceptrons},
		{"btb.sets", c->btb_sets ? c->btb_sets : 1},
		{"bdt.sets", c->bdt_sets ? c->bdt_sets : 1},
		{"bus.bytes", c->bus_bytes},
		{"itlb.sets", c->itlb_sets},
		{"dtlb.sets", c->dtlb_sets},
		{"tlb.page", c->tlb_page},
		{"l1d.prefetch_table", c->l1d_prefetch_table},
		{"l2.prefetch_table", c->l2_prefetch_table},
		{"cop.divider", c->cop_divider},
		{"cop.filter", c->cop_filter},
		{"lsq.predictor_size", c->lsq_predictor_size},
		{"lsq.store_sets", c->lsq_store_sets},
		{"lsq.replay_synonym", c->lsq_replay_synonym ? c->lsq_replay_synonym : 1},
	};
	for (size_t i = 0; i < sizeof powers / sizeof *powers; i++) {
		if (!check_power(powers[i].name, powers[i].value, err))
			return false;
	}
	static const struct {
		const char *choice;
		enum kind_learns learns;
	} predictors[BPRED_KINDS] = {
#define LEARNS(id, name, choice, help, learns, ...) {choice, learns},
		BPRED_ROWS(LEARNS, LEARNS)
#undef LEARNS
	};
	if (predictors[c->bpred_kind].learns == LATE && c->bpred_update == 0)
		return err_set(err,
		               "bpred.update: bpred.kind=%s can't undo its updates at dispatch; "
		               "expected commit or fetch",
		               predictors[c->bpred_kind].choice);
	const struct {
		const char *name;
		int64_t value;
	} pages[] = {{"sim.load_base", c->load_base}, {"sim.interp_base", c->interp_base}};
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
		if (pages[i].value % 4096)
			return err_set(err,
			               "%s: 0x%" PRIx64 " is not a multiple of 4096: 0x%" PRIx64
			               " would be",
			               pages[i].name, (uint64_t)pages[i].value,
			               (uint64_t)pages[i].value / 4096 * 4096);
	if (c->stack_bytes % 4096)
		return err_set(err,
		               "sim.stack: %" PRId64 " is not a multiple of 4096: %" PRId64
		               " would be",
		               c->stack_bytes, (c->stack_bytes + 4095) / 4096 * 4096);
	if (!c->oracle && (c->oracle_blocks || c->oracle_contexts || c->oracle_values ||
	                   c->oracle_addresses || c->oracle_loads || c->oracle_speculative))
		return err_set(err, "oracle.*: the oracle is off; set oracle.enable=true too");
	if (c->oracle_values_from > c->oracle_values_to)
		return err_set(err,
		               "oracle.values_from: 0x%" PRIx64
		               " is above oracle.values_to, 0x%" PRIx64,
		               (uint64_t)c->oracle_values_from, (uint64_t)c->oracle_values_to);
	if (c->vsample_interval_min > c->vsample_interval_max)
		return err_set(err,
		               "vsample.interval_min: %" PRId64
		               " is more than vsample.interval_max, %" PRId64,
		               c->vsample_interval_min, c->vsample_interval_max);
	if (c->profileme_interval_max && c->profileme_interval_min > c->profileme_interval_max)
		return err_set(err,
		               "profileme.interval_min: %" PRId64
		               " is more than profileme.interval_max, %" PRId64,
		               c->profileme_interval_min, c->profileme_interval_max);
	if (c->vsample_protect_from > c->vsample_protect_to)
		return err_set(err,
		               "vsample.protect_from: 0x%" PRIx64
		               " is above vsample.protect_to, 0x%" PRIx64,
		               (uint64_t)c->vsample_protect_from, (uint64_t)c->vsample_protect_to);
	if (c->lsq_replay_synonym && c->lsq_replay_synonym < c->l1d_line)
		return err_set(err,
		               "lsq.replay_synonym: %" PRId64
		               " bytes is less than l1d.line; expected %" PRId64 " or more",
		               c->lsq_replay_synonym, c->l1d_line);
	if (c->values_f_up <= c->values_f_down)
		return err_set(err,
		               "values.f_up: %" PRId64 " is not more than values.f_down, %" PRId64
		               ": f must be greater than 1, such as 16/15",
		               c->values_f_up, c->values_f_down);
	if (!c->forwarding && !c->in_order)
		return err_set(err, "pipe.forwarding: without it an instruction waits in decode; "
		                    "expected pipe.in_order=true too");
	if (c->bpred_resolve == RESOLVE_ID && !c->in_order)
		return err_set(err, "bpred.resolve: id makes a branch wait in decode; expected "
		                    "pipe.in_order=true too");
	if (c->bpred_resolve == RESOLVE_MEM && !c->memory_stage)
		return err_set(err, "bpred.resolve: mem needs a memory stage; expected "
		                    "pipe.memory_stage=1 too");
	if (c->unified_port && !(c->in_order && c->completion))
		return err_set(err, "mem.unified_port: data uses the port in the memory stage; "
		                    "expected pipe.in_order=true and "
		                    "pipe.completion=out-of-order too");
	return check_rv32(c, err) &&
	       check_cache("l1i", c->l1i_size, c->l1i_ways, c->l1i_line, err) &&
	       check_cache("l1d", c->l1d_size, c->l1d_ways, c->l1d_line, err) &&
	       check_cache("l2", c->l2_size, c->l2_ways, c->l2_line, err) &&
	       check_l2_line("l1i", c->l1i_line, c->l2_line, err) &&
	       check_l2_line("l1d", c->l1d_line, c->l2_line, err);
}
