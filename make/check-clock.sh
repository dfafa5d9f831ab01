#!/bin/bash
# Only the guest's system calls speak of the clock of the day, which people and networks set: code
# that waits or measures uses CLOCK_MONOTONIC.
cd "$(dirname "$0")/.." || exit 1
! git grep -nE '\b(time|gettimeofday|clock_settime) ?\((NULL|&|0\))|\bCLOCK_(REALTIME|TAI)' -- \
	core loader hwviews scripting ui ':!core/os/' ':!*.md' >&2
