/* Signals: handlers, and the default actions. */
#include "tests/unit/os/os_calls.h"

static void set_handler(struct guest *g, uint64_t sig, uint64_t handler)
{
	struct lx_sigaction act = {.handler = handler, .flags = 4, .mask = 2};
	assert_int_equal(
		CALL(g, rt_sigaction, sig, os_fixture_write_bytes(g, &act, sizeof act), 0, 8), 0);
}

static uint8_t killed_by(struct guest *g)
{
	uint8_t sig = os_state(g->os)->killed_by;
	os_state(g->os)->killed_by = 0;
	return sig;
}

/* A frame below sp, and back: registers and the mask are as before. */
TEST(handlers_are_entered_and_left)
{
	struct guest *g = os_calls_guest(state);
	struct hart before;
	struct lx_sigframe frame;
	set_handler(g, 15, 0x1000);
	g->h.r[REG_SP] = BUF + 8192;
	g->h.r[REG_F0 + 3] = 33;
	g->h.fcsr = 0x21;
	g->h.pc = 0x2000;
	before = g->h;
	assert_int_equal(CALL(g, kill, GUEST_PID, 15), 15); /* a0 of the handler */
	const uint64_t sp = g->h.r[REG_SP];
	assert_int_equal(g->h.pc, 0x1000);
	assert_int_equal(sp % 16, 0);
	assert_in_range(sp, BUF + 8192 - 1200, BUF + 8192 - sizeof frame);
	FETCH(g, sp, &frame);
	assert_int_equal(frame.info.signo, 15);
	assert_int_equal(frame.context.pc, 0x2004);
	assert_int_equal(frame.context.x[REG_SP - 1], BUF + 8192);
	assert_int_equal(frame.context.f[3], 33);
	assert_int_equal(frame.context.fcsr, 0x21);
	assert_int_equal(os_state(g->os)->thread[0].signals.mask, 1 << 14 | 2);
	g->h.r[REG_SP] = sp;
	g->h.fcsr = 0;
	CALL(g, rt_sigreturn, 0);
	assert_int_equal(g->h.pc, 0x2004);
	assert_int_equal(g->h.fcsr, 0x21);
	before.r[REG_A0] = 0;
	assert_memory_equal(&g->h.r[REG_SP], &before.r[REG_SP], 8);
	assert_int_equal(os_state(g->os)->thread[0].signals.mask, 0);
	/* no room */
	g->h.r[REG_SP] = 64;
	CALL(g, kill, GUEST_PID, 15);
	assert_int_equal(killed_by(g), LX_SIGSEGV);
	assert_non_null(strstr(g->warned, "no room for the frame of the handler of SIGTERM"));
	g->h.r[REG_SP] = 64;
	CALL(g, rt_sigreturn, 0);
	assert_int_equal(killed_by(g), LX_SIGSEGV);
}

TEST(signals_to_oneself_have_their_default_action)
{
	struct guest *g = os_calls_guest(state);
	struct lx_sigaction old;
	assert_int_equal(CALL(g, tgkill, GUEST_PID, GUEST_PID, LX_SIGABRT), 0);
	assert_int_equal(killed_by(g), LX_SIGABRT);
	assert_int_equal(CALL(g, kill, GUEST_PID, 0), 0);
	assert_int_equal(CALL(g, tkill, GUEST_PID, LX_SIGCHLD), 0);
	assert_int_equal(CALL(g, tkill, GUEST_PID, LX_SIGTSTP), 0);
	assert_int_equal(killed_by(g), 0);
	/* Ignored, handled, blocked. */
	set_handler(g, 15, LX_SIG_IGN);
	CALL(g, kill, GUEST_PID, 15);
	assert_int_equal(killed_by(g), 0);
	set_handler(g, 15, 0x1000);
	assert_int_equal(CALL(g, rt_sigaction, 15, 0, BUF, 8), 0);
	FETCH(g, BUF, &old);
	assert_int_equal(old.handler, 0x1000);
	assert_int_equal(old.mask, 2);
	uint64_t set = UINT64_MAX;
	assert_int_equal(
		CALL(g, rt_sigprocmask, LX_SIG_BLOCK, os_fixture_write_bytes(g, &set, 8), 0, 8), 0);
	CALL(g, kill, GUEST_PID, 10);
	assert_int_equal(killed_by(g), 0);
	assert_int_equal(CALL(g, rt_sigpending, BUF, 8), 0);
	assert_int_equal(os_calls_load_word(g, BUF), 1 << 9);
	CALL(g, kill, GUEST_PID, LX_SIGKILL);
	assert_int_equal(killed_by(g), LX_SIGKILL);
	set = 0;
	assert_int_equal(
		CALL(g, rt_sigprocmask, LX_SIG_SETMASK, os_fixture_write_bytes(g, &set, 8), 0, 8),
		0);
	assert_int_equal(killed_by(g), 10);
	struct lx_stack stack = {.sp = 0x5000, .size = 8192};
	assert_int_equal(CALL(g, sigaltstack, os_fixture_write_bytes(g, &stack, sizeof stack), 0),
	                 0);
	assert_int_equal(CALL(g, sigaltstack, 0, BUF), 0);
	FETCH(g, BUF, &stack);
	assert_int_equal(stack.sp, 0x5000);
}

TEST_EACH(tree_up, tree_down)
