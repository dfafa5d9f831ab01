#include "loader/instrument/cct_signals.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/os/linux.h"

enum { RA = 1, SP = 2, T0 = 5, T1, T2, A0 = 10, A1, A2, A3, A4, A7 = 17 };
enum {
	SYS_TGKILL = 131,
	SYS_SIGALTSTACK = 132,
	SYS_SIGACTION = 134,
	SYS_GETPID = 172,
	SYS_GETTID = 178
};
enum { SET_BYTES = 8, STACK_BYTES = 1 << 16 };
/* struct sigaction, struct sigaltstack */
enum {
	ACTION_HANDLER = 0,
	ACTION_FLAGS = 8,
	ACTION_MASK = 16,
	ACTION_BYTES = 24,
	STACK_AT = 0,
	STACK_FLAGS = 8,
	STACK_SIZE = 16
};

#define SIGNAL(n) (UINT64_C(1) << ((n) - 1))
/* Signals that end the program by default, except SIGKILL: without CHLD, CONT, STOP, TSTP, TTIN,
 * TTOU, URG, WINCH, and 32 to 34, which C libraries use. */
#define ENDING                                                                                     \
	(~(SIGNAL(9) | SIGNAL(17) | SIGNAL(18) | SIGNAL(19) | SIGNAL(20) | SIGNAL(21) |            \
	   SIGNAL(22) | SIGNAL(23) | SIGNAL(28) | SIGNAL(32) | SIGNAL(33) | SIGNAL(34)))

static void cct_signals_emit_system_call(struct writer *w, int32_t number)
{
	writer_put(w, OP_ADDI, A7, 0, 0, number);
	writer_put(w, OP_ECALL, REG_SINK, 0, 0, 0);
}

static void put_keeping(struct writer *w, const uint8_t *kept, unsigned n, int32_t at, bool back)
{
	for (unsigned i = 0; i < n; i++)
		if (back)
			writer_put(w, OP_LD, kept[i], SP, 0, at + 8 * (int32_t)i);
		else
			writer_put(w, OP_SD, REG_SINK, SP, kept[i], at + 8 * (int32_t)i);
}

/* Writes the handler: saves the tree and sends the signal again, with the default action, which
 * takes effect at the interrupted instruction when the handler has returned. */
static void put_handler(struct writer *w, uint64_t save)
{
	enum { NUMBER = ACTION_BYTES, BYTES = 32 };
	writer_put(w, OP_ADDI, SP, SP, 0, -BYTES);
	writer_put(w, OP_SD, REG_SINK, SP, A0, NUMBER);
	writer_call(w, T0, save);
	for (int32_t k = 0; k < ACTION_BYTES; k += 8)
		writer_put(w, OP_SD, REG_SINK, SP, 0, k);
	writer_put(w, OP_ADDI, A1, SP, 0, 0);
	writer_put(w, OP_ADDI, A2, 0, 0, 0);
	writer_put(w, OP_ADDI, A3, 0, 0, SET_BYTES);
	cct_signals_emit_system_call(w, SYS_SIGACTION);
	cct_signals_emit_system_call(w, SYS_GETPID);
	writer_put(w, OP_ADDI, T1, A0, 0, 0);
	cct_signals_emit_system_call(w, SYS_GETTID);
	writer_put(w, OP_ADDI, A1, A0, 0, 0);
	writer_put(w, OP_ADDI, A0, T1, 0, 0);
	writer_put(w, OP_LD, A2, SP, 0, NUMBER);
	cct_signals_emit_system_call(w, SYS_TGKILL);
	writer_put(w, OP_ADDI, SP, SP, 0, BYTES);
	writer_return(w, RA);
}

static void put_catch(struct writer *w, uint64_t handler)
{
	static const uint8_t kept[] = {T1, T2, A0, A1, A2, A3, A4, A7};
	enum { KEPT = sizeof kept, AT = 32, BYTES = AT + 8 * KEPT };
	const unsigned next = writer_new_label(w), more = writer_new_label(w);
	writer_put(w, OP_ADDI, SP, SP, 0, -BYTES);
	put_keeping(w, kept, KEPT, AT, false);
	writer_put(w, OP_ADDI, A4, 0, 0, 1);
	writer_put_constant(w, T2, (int64_t)ENDING);
	writer_put(w, OP_ADDI, A3, 0, 0, SET_BYTES);
	writer_here(w, more);
	writer_put(w, OP_ANDI, T1, T2, 0, 1);
	writer_branch(w, OP_BEQ, T1, 0, next);
	writer_put(w, OP_ADDI, A0, A4, 0, 0);
	writer_put(w, OP_ADDI, A1, 0, 0, 0);
	writer_put(w, OP_ADDI, A2, SP, 0, 0);
	cct_signals_emit_system_call(w, SYS_SIGACTION);
	writer_branch(w, OP_BNE, A0, 0, next);
	writer_put(w, OP_LD, T1, SP, 0, ACTION_HANDLER);
	writer_branch(w, OP_BNE, T1, 0, next);
	writer_put_address(w, T1, handler);
	writer_put(w, OP_SD, REG_SINK, SP, T1, ACTION_HANDLER);
	writer_put_constant(w, T1, LX_SA_ONSTACK | LX_SA_STILL_ENDS);
	writer_put(w, OP_SD, REG_SINK, SP, T1, ACTION_FLAGS);
	writer_put(w, OP_ADDI, T1, 0, 0, -1);
	writer_put(w, OP_SD, REG_SINK, SP, T1, ACTION_MASK);
	writer_put(w, OP_ADDI, A0, A4, 0, 0);
	writer_put(w, OP_ADDI, A1, SP, 0, 0);
	writer_put(w, OP_ADDI, A2, 0, 0, 0);
	cct_signals_emit_system_call(w, SYS_SIGACTION);
	writer_here(w, next);
	writer_put(w, OP_ADDI, A4, A4, 0, 1);
	writer_put(w, OP_SRLI, T2, T2, 0, 1);
	writer_branch(w, OP_BNE, T2, 0, more);
	put_keeping(w, kept, KEPT, AT, true);
	writer_put(w, OP_ADDI, SP, SP, 0, BYTES);
	writer_return(w, T0);
}

/* Writes the code after rt_sigaction, which succeeded: a1 and a2 are its arguments. If both are the
 * same place, the requested action has been overwritten. */
static void put_behind(struct writer *w, uint64_t handler, uint64_t catch)
{
	static const uint8_t kept[] = {T0, T1, T2};
	enum { KEPT = sizeof kept, BYTES = 32 };
	const unsigned out = writer_new_label(w), asked = writer_new_label(w),
		       again = writer_new_label(w);
	writer_put(w, OP_ADDI, SP, SP, 0, -BYTES);
	put_keeping(w, kept, KEPT, 0, false);
	writer_branch(w, OP_BNE, A0, 0, out);
	writer_branch(w, OP_BEQ, A2, 0, asked);
	writer_put(w, OP_LD, T1, A2, 0, ACTION_HANDLER);
	writer_put_address(w, T2, handler);
	writer_branch(w, OP_BNE, T1, T2, asked);
	for (int32_t k = 0; k < ACTION_BYTES; k += 8)
		writer_put(w, OP_SD, REG_SINK, A2, 0, k);
	writer_here(w, asked);
	writer_branch(w, OP_BEQ, A1, 0, out);
	writer_branch(w, OP_BEQ, A1, A2, again);
	writer_put(w, OP_LD, T1, A1, 0, ACTION_HANDLER);
	writer_branch(w, OP_BNE, T1, 0, out);
	writer_here(w, again);
	writer_call(w, T0, catch);
	writer_here(w, out);
	put_keeping(w, kept, KEPT, 0, true);
	writer_put(w, OP_ADDI, SP, SP, 0, BYTES);
	writer_return(w, T0);
}

static uint64_t cct_signals_link_routine(struct edit *e, struct writer *w, struct err *err)
{
	writer_link(w);
	return edit_routine(e, w->code, w->n, err);
}

bool cct_signals_put(struct edit *e, uint64_t save, struct cct_signals *out, struct err *err)
{
	struct writer *w = alloc_bytes(sizeof *w);
	if (!w)
		return err_set(err, "out of memory for a routine");
	*out = (struct cct_signals){.save = save};
	writer_init(w, -1);
	put_handler(w, save);
	out->handler = cct_signals_link_routine(e, w, err);
	writer_init(w, -1);
	put_catch(w, out->handler);
	out->catch = out->handler ? cct_signals_link_routine(e, w, err) : 0;
	writer_init(w, -1);
	put_behind(w, out->handler, out->catch);
	out->behind = out->catch ? cct_signals_link_routine(e, w, err) : 0;
	free(w);
	return out->behind;
}

void cct_signals_begin(struct writer *w, struct edit *e, const struct cct_signals *s)
{
	enum { BYTES = 32 };
	writer_put(w, OP_ADDI, SP, SP, 0, -BYTES);
	writer_put_address(w, A0, edit_memory(e, STACK_BYTES));
	writer_put(w, OP_SD, REG_SINK, SP, A0, STACK_AT);
	writer_put(w, OP_SD, REG_SINK, SP, 0, STACK_FLAGS);
	writer_put_constant(w, A0, STACK_BYTES);
	writer_put(w, OP_SD, REG_SINK, SP, A0, STACK_SIZE);
	writer_put(w, OP_ADDI, A0, SP, 0, 0);
	writer_put(w, OP_ADDI, A1, 0, 0, 0);
	cct_signals_emit_system_call(w, SYS_SIGALTSTACK);
	writer_put(w, OP_ADDI, SP, SP, 0, BYTES);
	writer_call(w, T0, s->catch);
}
