#!/bin/bash
# A guest that fills a folder with very many files: each costs as much memory as the one before, and
# processor time stays far below a limit.
here=$PWD
. tests/lib.sh
case ${CYCLOPS_TEST_SCALE:-full} in
small) few=200 many=2000 ;;
long) few=100000 many=1000000 ;;
*) few=10000 many=100000 ;;
esac
# memory is measured without large pages, since one page more or less is megabytes
unset GLIBC_TUNABLES
ulimit -t 600 # quadratic work would take hours
# Where files cost the host little, if it has such a place.
shm=$(mktemp -d -p /dev/shm 2>/dev/null) && trap 'rm -rf "$dir" "$shm"' EXIT
cd "${shm:-$dir}" || exit 1
cp "$here/build/tests/cli/many" .

# fills COUNT: its most memory in KiB, into most.
fills() {
	rm -rf files moved
	command="cyclops run --functional --rw many $1"
	read -r got most < <(python3 -c 'import resource, subprocess, sys
out, err = open(sys.argv[1] + "/out", "w"), open(sys.argv[1] + "/err", "w")
got = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=out, stderr=err).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(got, used.ru_maxrss)' "$dir" "$CYCLOPS" run --functional --rw many "$1")
	check "exit status $got" [ "$got" = 0 ]
	says out "$(($1 + 2)) entries"
	check "the host has them, but those that were removed" [ "$(find moved -type f | wc -l)" \
		= $(($1 - ($1 + 996) / 997)) ]
}
fills $few
before=$most
fills $many
command="$many files, after $few"
[ "${CYCLOPS_TEST_SCALE:-full}" = small ] ||
	check "a file takes less than 300 bytes: $before and $most KiB" \
		[ $(((most - before) * 1024)) -lt $((300 * (many - few))) ]
finish
