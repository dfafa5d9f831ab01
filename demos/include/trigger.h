/* Signals to whoever observes this program: `t:signal("trigger_signal", ...)` of the Lua module cyclops.triggers hears them,
 * everything else sees a register being read. The read serialises, so that nothing else commits in the cycle in which the
 * signal is heard, and `value` is still there. */
#ifndef CYCLOPS_DEMOS_TRIGGER_H
#define CYCLOPS_DEMOS_TRIGGER_H

__attribute__((naked, noinline, unused)) static void trigger_signal(__attribute__((unused)) long value)
{
	__asm__ volatile("csrr zero, fflags\n\tret");
}

#endif
