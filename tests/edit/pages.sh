# shellcheck shell=bash
# Large pages for what these tests run: instrumenting touches eighty megabytes, and a third of its time goes into faults of small ones. Guests of
# qemu, which would inherit it, and whose C library would do the same, don't see it. To be sourced.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1 QEMU_UNSET_ENV=GLIBC_TUNABLES
