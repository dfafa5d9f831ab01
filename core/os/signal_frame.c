/* A signal acts between two instructions: it ends the program, or its handler is entered on a frame
 * like Linux's rt_sigframe for riscv64 (arch/riscv/kernel/signal.c), and left by rt_sigreturn.
 *
 * Handlers return to a page with that call, as to Linux's vDSO. It is mapped when the first handler
 * is entered, so programs without handlers keep their memory layout. If a frame can't be written,
 * or read again, SIGSEGV is raised; if the signal is SIGSEGV itself, the program ends.
 *
 * A handler begins with the profile flags of the code that it interrupts, as a called function
 * does, and they are restored when it returns. siglongjmp() only loads registers that the C library
 * has saved, so the flags stay as the handler left them; the same holds for any function that
 * longjmp() leaves. */
#include <string.h>

#include "core/os/os_priv.h"
#include "core/os/scheduling.h"
#include "core/os/signals.h"
#include "core/os/thread.h"

enum { FRAME_ALIGN = 16 };
static const uint32_t trampoline[] = {0x08b00893 /* li a7, rt_sigreturn */, 0x00000073 /* ecall */};
static const char trampoline_name[] = "sigreturn";

/* ---- the alternate stack ---- */

/* Whether sp is on the alternate stack. */
static bool signal_on_stack(const struct signal_thread *t, uint64_t sp)
{
	return !(t->stack[1] & LX_SS_AUTODISARM) && t->stack[2] && sp > t->stack[0] &&
	       sp - t->stack[0] <= t->stack[2];
}

static void stack_off(struct signal_thread *t)
{
	t->stack[0] = t->stack[2] = 0;
	t->stack[1] = LX_SS_DISABLE;
}

static int64_t signal_set_stack(struct signal_thread *t, const struct lx_stack *stack, uint64_t sp)
{
	const uint32_t flags = (uint32_t)stack->flags, mode = flags & ~LX_SS_AUTODISARM;
	if (signal_on_stack(t, sp))
		return -EPERM;
	if (mode != 0 && mode != LX_SS_DISABLE && mode != LX_SS_ONSTACK)
		return -EINVAL;
	if (mode == LX_SS_DISABLE) {
		stack_off(t);
		t->stack[1] = flags;
		return 0;
	}
	if (stack->size < LX_MINSIGSTKSZ)
		return -ENOMEM;
	t->stack[0] = stack->sp;
	t->stack[1] = flags & ~(uint32_t)LX_SS_ONSTACK;
	t->stack[2] = stack->size;
	return 0;
}

int64_t signal_change_stack(struct call *c, const struct lx_stack *new, struct lx_stack *old)
{
	struct signal_thread *t = c->thread;
	const uint64_t sp = c->h->r[REG_SP];
	*old = (struct lx_stack){.sp = t->stack[0], .size = t->stack[2]};
	old->flags = (int32_t)t->stack[1] | (signal_on_stack(t, sp) ? LX_SS_ONSTACK : 0);
	return new ? signal_set_stack(t, new, sp) : 0;
}

int64_t sys_sigaltstack(struct call *c)
{
	struct lx_stack old, new;
	if (c->a[0] && !mem_read(c->mem, c->a[0], &new, sizeof new))
		return -EFAULT;
	const int64_t ret = signal_change_stack(c, c->a[0] ? &new : NULL, &old);
	return ret < 0 || !c->a[1] || mem_write(c->mem, c->a[1], &old, sizeof old) ? ret : -EFAULT;
}

/* ---- entering ---- */

/* Address of the trampoline; 0: no room. It lies between the stack and mmap's range, where nothing
 * is mapped unless the program requests that address. */
static uint64_t put_trampoline(struct call *c)
{
	enum { BELOW = 32 << 20 };
	uint64_t at = c->st->mmap_below + BELOW;
	if (c->signals->trampoline)
		return c->signals->trampoline;
	if (mem_is_mapped(c->mem, at, PAGE_BYTES))
		at = mem_find_free(c->mem, PAGE_BYTES, c->st->mmap_below);
	if (!at || !mem_map(c->mem, at, PAGE_BYTES, PROT_R | PROT_X, trampoline_name))
		return 0;
	mem_poke(c->mem, at, trampoline, sizeof trampoline);
	c->h->new_code = 1;
	c->signals->trampoline = at;
	return at;
}

static void signal_frame_fill_context(const struct call *c, const struct signal_info *info,
                                      uint64_t mask, struct lx_sigframe *f)
{
	const struct signal_thread *t = c->thread;
	const struct hart *h = c->h;
	*f = (struct lx_sigframe){
		.info = {.signo = info->signo,
	                 .err = info->err,
	                 .code = info->code,
	                 .word = {info->word[0], info->word[1]}},
		.context = {.stack = {t->stack[0], (int32_t)t->stack[1], 0, t->stack[2]},
	                    .mask = mask,
	                    .pc = h->pc,
	                    .fcsr = (uint32_t)h->fcsr},
	};
	memcpy(f->context.x, &h->r[1], sizeof f->context.x);
	memcpy(f->context.f, &h->r[REG_F0], sizeof f->context.f);
	if (h->xprof)
		f->context.xprof =
			(struct lx_xprof_context){LX_XPROF_MAGIC, h->pflags, h->pfbase};
}

size_t signal_frame_bytes(const struct hart *h)
{
	return h->isa == ISA_RV32GC ? sizeof(struct lx_sigframe32) : sizeof(struct lx_sigframe);
}

static uint64_t frame_place(const struct signal_thread *t, uint64_t sp, uint64_t bytes,
                            uint64_t flags)
{
	const uint64_t align = FRAME_ALIGN - 1;
	const bool on = signal_on_stack(t, sp);
	/* on overflow of the alternate stack, don't start again at its top */
	if (on && !signal_on_stack(t, (sp - bytes) & ~align))
		return UINT64_MAX & ~align;
	if ((flags & LX_SA_ONSTACK) && !on && t->stack[2])
		sp = t->stack[0] + t->stack[2];
	return (sp - bytes) & ~align;
}

static void come_again(struct call *c)
{
	c->h->r[REG_A0] = c->h->isa == ISA_RV32GC ? (uint64_t)(int64_t)(int32_t)c->a[0] : c->a[0];
	c->h->pc = c->pc;
}

static bool signal_frame_enter_handler(struct call *c, const struct signal_info *info)
{
	struct os *os = c->os;
	struct signal_thread *t = c->thread;
	struct hart *h = c->h;
	uint64_t *action = c->signals->action[info->signo];
	const uint64_t handler = action[0], flags = action[1], sig = (uint64_t)info->signo;
	const bool narrow = h->isa == ISA_RV32GC;
	const uint64_t sp = narrow ? (uint32_t)h->r[REG_SP] : h->r[REG_SP],
		       at = frame_place(t, sp, signal_frame_bytes(h), flags),
		       back = put_trampoline(c);
	struct lx_sigframe frame;
	if (c->restart && (flags & LX_SA_RESTART))
		come_again(c);
	else if (c->restart)
		h->r[REG_A0] = (uint64_t)-EINTR;
	c->restart = false;
	signal_frame_fill_context(c, info, t->restores ? t->saved_mask : t->mask, &frame);
	if (!back || !(narrow ? rv32_write_frame(c->mem, at, &frame)
	                      : mem_write(c->mem, at, &frame, sizeof frame)))
		return false;
	os_goes_on(os, &(struct os_stream){.kind = OS_STREAM_HANDLER,
	                                   .info = *info,
	                                   .from = h->pc,
	                                   .from_sp = h->r[REG_SP],
	                                   .back = back,
	                                   .pc = handler & ~UINT64_C(1),
	                                   .sp = at});
	if (t->stack[1] & LX_SS_AUTODISARM)
		stack_off(t);
	h->r[REG_RA] = back;
	h->r[REG_SP] = at;
	h->r[REG_A0] = sig;
	h->r[REG_A0 + 1] = at + offsetof(struct lx_sigframe, info);
	h->r[REG_A0 + 2] = at + (narrow ? offsetof(struct lx_sigframe32, flags)
	                                : offsetof(struct lx_sigframe, context));
	for (unsigned i = REG_RA; narrow && i <= REG_A0 + 2; i++)
		h->r[i] = (uint64_t)(int64_t)(int32_t)h->r[i];
	h->pc = handler & ~UINT64_C(1);
	h->reserved = RESERVED_NONE;
	t->restores = 0;
	t->mask |= action[2] | (flags & LX_SA_NODEFER ? 0 : signal_bit(sig));
	if (flags & LX_SA_RESETHAND)
		action[0] = LX_SIG_DFL;
	return true;
}

static void broken_frame(struct call *c)
{
	const struct signal_info segv = {.signo = LX_SIGSEGV, .code = LX_SI_KERNEL};
	signal_force(c->os, c->thread, &segv);
}

/* Applies one signal's action. */
static void signal_frame_apply_action(struct call *c, const struct signal_info *info)
{
	struct signal_process *p = c->signals;
	const uint64_t sig = (uint64_t)info->signo, handler = p->action[sig][0];
	const bool real = handler != LX_SIG_DFL && !(p->action[sig][1] & LX_SA_STILL_ENDS);
	if (handler == LX_SIG_IGN || (p->held_back & signal_bit(sig)) ||
	    (handler == LX_SIG_DFL && signal_ignored_by_default(sig)))
		return;
	if (handler == LX_SIG_DFL && signal_stops_by_default(sig)) {
		os_warnf(c->os, "the guest stops itself with signal %d: ignored", (int)sig);
		return;
	}
	if (!real) {
		c->st->killed_by = (uint8_t)sig;
		return;
	}
	if (signal_frame_enter_handler(c, info))
		return;
	os_warnf(c->os,
	         "there is no room for the frame of the handler of %s at sp = 0x%llx: SIGSEGV",
	         os_signal_name(sig), (unsigned long long)c->h->r[REG_SP]);
	if (sig == LX_SIGSEGV)
		c->st->killed_by = LX_SIGSEGV;
	else
		broken_frame(c);
}

/* Applies all signals that are due; the handler of the last runs first, as on Linux. */
void signal_deliver(struct call *c)
{
	struct signal_info info;
	while (!c->st->killed_by &&
	       signal_take(c->os, c->thread, ~c->thread->mask, &info))
		signal_frame_apply_action(c, &info);
}

/* Ends a call that a deferred signal interrupts with the result that the signal will give it: an
 * error, if its handler does not restart calls. */
static void signal_frame_defer(struct call *c)
{
	const uint64_t set = signal_wanted(c->thread, c->signals);
	const uint64_t *action = c->signals->action[set ? __builtin_ctzll(set) + 1 : 0];
	if (!c->restart || !set || action[0] == LX_SIG_DFL || (action[1] & LX_SA_RESTART))
		return;
	c->restart = false;
	c->h->r[REG_A0] = (uint64_t)-EINTR;
}

void signal_after_call(struct call *c, int64_t ret)
{
	struct signal_thread *t = c->thread;
	c->restart = ret == LX_RESTART_SYS && !c->jumped;
	if (ret != -EINTR) /* else the call's own mask stays until its signal acts */
		signal_restore_mask(t);
	if (t->deferred) {
		signal_frame_defer(c);
	} else {
		signal_deliver(c);
		signal_restore_mask(t);
	}
	if (c->restart)
		come_again(c);
}

/* ---- leaving ---- */

int64_t sys_rt_sigreturn(struct call *c)
{
	struct hart *h = c->h;
	struct lx_sigframe f;
	c->jumped = true;
	if (!(h->isa == ISA_RV32GC ? rv32_read_frame(c->mem, (uint32_t)h->r[REG_SP], &f)
	                           : mem_read(c->mem, h->r[REG_SP], &f, sizeof f))) {
		os_warnf(c->os,
		         "rt_sigreturn finds no frame at sp = 0x%llx: SIGSEGV",
		         (unsigned long long)h->r[REG_SP]);
		broken_frame(c);
		return 0;
	}
	memcpy(&h->r[1], f.context.x, sizeof f.context.x);
	memcpy(&h->r[REG_F0], f.context.f, sizeof f.context.f);
	h->fcsr = f.context.fcsr & 0xff;
	if (h->xprof && f.context.xprof.magic == LX_XPROF_MAGIC) {
		h->pflags = f.context.xprof.pflags & 0xff;
		h->pfbase = f.context.xprof.pfbase & ~UINT64_C(7);
	}
	h->pc = f.context.pc & ~UINT64_C(1);
	h->reserved = RESERVED_NONE;
	c->thread->mask = f.context.mask & ~SIGNALS_UNBLOCKABLE;
	signal_set_stack(c->thread, &f.context.stack, h->r[REG_SP]);
	os_goes_on(c->os, &(struct os_stream){
				  .kind = OS_STREAM_RETURN, .pc = h->pc, .sp = h->r[REG_SP]});
	return 0;
}

/* ---- outside of calls ---- */

static struct call signal_frame_outside_call(struct os *os, struct hart *h, struct mem *mem)
{
	struct os_state *st = os->st;
	os->now = h->cycle;
	os->ticks = hart_ticks(h);
	os->streams = 0;
	return (struct call){.os = os,
	                     .st = st,
	                     .h = h,
	                     .mem = mem,
	                     .thread = &thread_now(st)->signals,
	                     .signals = &st->signals,
	                     .wakes = OS_NEVER,
	                     .pc = h->pc};
}

uint64_t os_signals_due(const struct os *os)
{
	const struct os_state *st = os->st;
	const struct signal_process *p = &st->signals;
	if (signal_wanted(&st->thread[st->running].signals, p))
		return 0;
	return !p->next ? OS_NEVER : p->next > p->idle ? p->next - p->idle : 0;
}

bool os_signals_wanted(struct os *os, uint64_t cycle)
{
	timers_run(os, cycle + os->st->signals.idle);
	return signal_wanted(&thread_now(os->st)->signals, &os->st->signals);
}

void os_signals_deliver(struct os *os, struct hart *h, struct mem *mem)
{
	struct call c = signal_frame_outside_call(os, h, mem);
	signal_deliver(&c);
}

bool os_catches(const struct os *os, const struct hart *h, uint64_t pc, enum trap trap,
                uint64_t at)
{
	const struct os_state *st = os->st;
	if (trap == TRAP_ECALL_M || trap == TRAP_NO_INTERRUPT || trap >= TRAP_ECALL)
		return false;
	if (st->abi == OS_HTIF)
		return bare_catches(h, pc, trap, at);
	const uint64_t sig = (uint64_t)trap_signal(trap), *action = st->signals.action[sig];
	return action[0] != LX_SIG_DFL && action[0] != LX_SIG_IGN &&
	       !(action[1] & LX_SA_STILL_ENDS) &&
	       !((st->thread[st->running].signals.mask | st->signals.held_back) & signal_bit(sig));
}

void signal_frame_describe_fault(const struct mem *mem, enum trap trap, uint64_t pc, uint64_t at,
                                 struct signal_info *info)
{
	const bool data = trap_of_data(trap);
	info->word[0] = data || trap == TRAP_FETCH_FAULT ? at : pc;
	switch (info->signo) {
	case LX_SIGSEGV:
		info->code = mem_is_mapped(mem, info->word[0] & ~(uint64_t)(PAGE_BYTES - 1),
		                           PAGE_BYTES)
		                     ? LX_SEGV_ACCERR
		                     : LX_SEGV_MAPERR;
		break;
	case LX_SIGBUS:
		info->code = LX_BUS_ADRALN;
		break;
	case LX_SIGILL:
		info->code = LX_ILL_ILLOPC;
		break;
	default:
		info->code = LX_TRAP_BRKPT;
		break;
	}
}

void os_fault(struct os *os, struct hart *h, struct mem *mem, enum trap trap, uint64_t at)
{
	struct call c = signal_frame_outside_call(os, h, mem);
	struct signal_info info = {.signo = trap_signal(trap)};
	if (os->st->abi == OS_HTIF) {
		bare_fault(&c, trap, at);
		return;
	}
	signal_frame_describe_fault(mem, trap, h->pc, at, &info);
	timers_run(os, hart_ticks(h));
	signal_force(os, c.thread, &info);
	signal_deliver(&c);
}

void os_goes_on(struct os *os, const struct os_stream *stream)
{
	if (os->streams == OS_STREAMS)
		return;
	struct os_stream *s = &os->stream[os->streams++];
	*s = *stream;
	s->thread = os_thread_number(thread_now(os->st));
}

unsigned os_streams(const struct os *os, const struct os_stream **streams)
{
	*streams = os->stream;
	return os->streams;
}
