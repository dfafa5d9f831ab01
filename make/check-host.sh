#!/bin/bash
# Rules that keep results equal on all hosts, and requests to the host in core/host/
cd "$(dirname "$0")/.." || exit 1
status=0
forbid() { # REASON PATTERN [PATHSPEC...]
	local reason=$1 pattern=$2
	shift 2
	if git grep -nE "$pattern" -- core loader hwviews scripting ui ':!*.md' "$@" >&2; then
		echo "$reason" >&2
		status=1
	fi
}
forbid 'code that waits or measures uses CLOCK_MONOTONIC: people and networks set the clock of the day' \
	'\b(time|gettimeofday|clock_settime) ?\((NULL|&|0\))|\bCLOCK_(REALTIME|TAI)' ':!core/os/'
forbid "core/base/sort.h sorts: qsort() leaves the order of equal elements to the C library" \
	'\bqsort(_r)?\([^)]'
forbid "os_signal_name() names signals: the C library's names are not on every host" \
	'\b(sigabbrev|sigdescr|strerrorname)_np\('
own="core/host/ makes these calls, so that another kind of host needs no change elsewhere"
forbid "$own" '\b(memfd_create|umask|pp?oll|p?select|waitpid|wait4|waitid|getaffinity|scandirat|renameat2|f?statfs|getrandom|getauxval|TEMP_FAILURE_RETRY)\([^)]|"/proc/self/(exe|fd)|TIOCGWINSZ|= ?v?fork\(' \
	':!core/host/' ':!core/os/linux.h' ':!core/os/fd_calls.c' ':!core/os/sysroot.c' \
	':!ui/remote/stream.c' ':!scripting/lua/'
exit $status
