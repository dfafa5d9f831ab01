#!/bin/bash
# Runs all workloads that are built, one process for each core, and writes the page of results:
# `make workloads-table` is this. Arguments are those of table.lua.
set -u
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
out=build/workloads
cut -d ' ' -f 1 $out/commands | xargs -P "$(nproc)" -I NAME "$CYCLOPS" lua \
	demos/workloads/table.lua --programs NAME "$@" >/dev/null || exit
{
	printf '# Workloads: results\n\nMade by `make workloads-table`; [README.md](README.md) says what the programs are, and how.\n\n'
	"$CYCLOPS" lua demos/workloads/table.lua "$@"
} >$out/table.md || exit
echo "$out/table.md, after $SECONDS s"
