/* Names of signals, as users and gdb write them. */
#include <stdlib.h>
#include <strings.h>

#include "core/os/os.h"

static const char *const names[OS_SIGNALS] = {
	NULL,
	"SIGHUP", "SIGINT", "SIGQUIT", "SIGILL", "SIGTRAP", "SIGABRT", "SIGBUS", "SIGFPE",
	"SIGKILL", "SIGUSR1", "SIGSEGV", "SIGUSR2", "SIGPIPE", "SIGALRM", "SIGTERM", "SIGSTKFLT",
	"SIGCHLD", "SIGCONT", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGXCPU",
	"SIGXFSZ", "SIGVTALRM", "SIGPROF", "SIGWINCH", "SIGIO", "SIGPWR", "SIGSYS", "SIG32",
	"SIG33", "SIG34", "SIG35", "SIG36", "SIG37", "SIG38", "SIG39", "SIG40", "SIG41", "SIG42",
	"SIG43", "SIG44", "SIG45", "SIG46", "SIG47", "SIG48", "SIG49", "SIG50", "SIG51", "SIG52",
	"SIG53", "SIG54", "SIG55", "SIG56", "SIG57", "SIG58", "SIG59", "SIG60", "SIG61", "SIG62",
	"SIG63", "SIG64",
};

const char *os_signal_name(uint64_t signal)
{
	return signal < OS_SIGNALS ? names[signal] : NULL;
}

unsigned os_signal_number(const char *name)
{
	char *end;
	const unsigned long n = *name >= '0' && *name <= '9' ? strtoul(name, &end, 10) : 0;
	if (n)
		return n < OS_SIGNALS && !*end ? (unsigned)n : 0;
	for (unsigned i = 1; i < OS_SIGNALS; i++)
		if (strcasecmp(names[i], name) == 0)
			return i;
	return 0;
}
