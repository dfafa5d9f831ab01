#!/bin/bash
# Columns of views have one type in JSON, in all views, of machines with each device, at several
# places (column_types.py).
. tests/lib.sh
top=$PWD
cd "$dir" || exit 1

mapfile -t views < <("$CYCLOPS" help views |
	awk '/^  [a-z]/ && $1 !~ /^(what-if|sample|phases)$/ { print $1 }')
check "there are views" [ ${#views[@]} -gt 40 ]
views+=("bpred 0x10100" "btb 3" "pflag 2" "bdt 23" "buckets 0 3" "buckets 1 2" "l1i 3" "l1d 3" \
	"l2 3" "l1d 0x3ffffffe80" "tlb 0x10100" "mem 0x10100 64"
	"slots functions" "slots lines" "cpi functions" "cpi instructions" "hot functions" \
		"hot lines" "oracle all" "stats sim.cycles" "fu units" "rename all" \
		"rename branches"
	"cfg main" "disasm main 20" "copslots all" "hotlist all" "replay all" "profile functions" \
		"compressor")
# looks NAME OPTION...: all views at several places; some are errors, as the machine lacks the
# device.
looks() {
	local name=$1 at view
	shift
	for at in "stepi 300" "stepi 4000" "continue"; do
		for view in "${views[@]}"; do
			printf '%s\n' "view $view --json"
		done | sed "1i ${at/continue/catch exit\ncontinue}" >commands
		"$CYCLOPS" --batch -x commands "$@" </dev/null >"$name-${at% *}${at#* }.json" \
			2>/dev/null
	done
}
golden=$top/tests/golden
looks plain -o xprof.enable=false "$golden/guest.elf"
looks profiled -o oracle.enable=true -o oracle.contexts=true "$golden/profile.elf"
looks sampled -o sampler.enable=true -o 'sampler.compressor=H(P(4), 64), A(4)' \
	-o oracle.enable=true "$golden/guest.elf"
looks tagged -o sampler.enable=true -o 'sampler.compressor=T(64, hit=3, replace=2, evict=4), A(2)' \
	"$golden/guest.elf"
looks values -o vsample.enable=true -o vsample.interval_min=50 -o vsample.interval_max=90 \
	-o profileme.enable=true -o lsq.speculate=true "$golden/guest.elf"
looks cop --cop "$top/tests/cop/slots.mic" "$golden/guest.elf"
check "one type a column" python3 "$top/tests/cmd/column_types.py" ./*.json
check "all views were asked" \
	[ "$(python3 "$top/tests/cmd/column_types.py" ./*.json | sed -n '$s/ .*//p')" -gt 40 ]
finish
