/* Signals to an observer of this program: `t:signal("trigger_signal", ...)` of the Lua module
 * cyclops.triggers gets them, everything else sees a register read. The read serialises, so that
 * nothing else commits in the signal's cycle, and `value` is still there. */
#ifndef CYCLOPS_DEMOS_TRIGGER_H
#define CYCLOPS_DEMOS_TRIGGER_H

__attribute__((naked, noinline, unused)) static void trigger_signal(__attribute__((unused)) long value)
{
	__asm__ volatile("csrr zero, fflags\n\tret");
}

#endif
