/* A program with hooks on all its events; the hooks request later actions. */
#ifndef CYCLOPS_TESTS_REVERSE_HOOK_RIG_H
#define CYCLOPS_TESTS_REVERSE_HOOK_RIG_H

#include "tests/reverse/rig.h"
#include "core/prof/common/attachment.h"

enum { REG_T5 = 30, REG_T6 = 31 };

/* A hook that does something once it is called at `at`, by event or by alarm. */
struct hook {
	struct rig *g;
	uint64_t at;
	void (*act)(struct hook *h);
	uint64_t acted, seen, told;
	struct hook_position heard;
};

extern const struct subject hooked;
void hook_set_later(struct rig *g, unsigned reg, uint64_t value);
void hook_told(void *ctx, const struct machine *m, const struct event *ev);
void hook_listen_all(struct hook *h);
void hook_wake_at(struct hook *h);

#endif
