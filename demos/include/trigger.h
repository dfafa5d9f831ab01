/* Signals to an observer of this program: `t:signal("trigger_signal", ...)` of the Lua module
 * cyclops.triggers receives them; to all else they are a register read. The read serialises:
 * nothing else commits in the signal's cycle, so a0 still holds `value`. */
#ifndef CYCLOPS_DEMOS_TRIGGER_H
#define CYCLOPS_DEMOS_TRIGGER_H

__attribute__((naked, noinline, unused)) static void trigger_signal(__attribute__((unused)) long value)
{
	__asm__ volatile("csrr zero, fflags\n\tret");
}

#endif
