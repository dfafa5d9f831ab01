#!/bin/bash
# The module args lists a call's arguments: those of the function's debug information, without it
# those that its code reads. And halves of values.
. tests/lib.sh
often=(-o vsample.interval_min=30 -o vsample.interval_max=70 -o vsample.every=1 \
	-o vsample.length=12 -o vsample.service=1 -o values.method=exact
	-o vsample.interrupt_cycles=2 -o vsample.start_cycles=1 -o vsample.inst_cycles=1 \
		-o vsample.tuple_cycles=0)

# listed PROGRAM: "FUNCTION REGISTER" of each list at its calls in main, in order.
listed() {
	run 0 run --values args "${often[@]}" --report "values all=$dir/values.csv" "$1"
	grep ',main' "$dir/values.csv" | grep -oE '"?jal[r]? [a-z0-9_]+"?,args\.a[0-3]' |
		sed 's/"//g; s/,args\./ /; s/^jalr* //' | sort -u
}

right='after_real a0
any a0
any a1
any a2
any a3
behind_pair a0
behind_pair a1
behind_pair a2
large a0
large a1
made a1
on a0
on a1
one a0
pair a0
pair a1
three a0
three a1
three a2
unused a0
unused a1'
listed build/tests/values/arguments >"$dir/told"
check "by debug information" diff <(echo "$right") <(grep -v '^a[0-9] \|^[ast][0-9]* ' "$dir/told")
check "a call through a pointer has those of where it leads" grep -qE '^[ast][0-9] a0$' "$dir/told"
check "and no others" bash -c "! grep -qE '^[ast][0-9] a[1-3]' '$dir/told'"

# Without debug information: registers that a function does not read are no arguments.
riscv64-linux-gnu-strip -g -o "$dir/bare" build/tests/values/arguments
listed "$dir/bare" >"$dir/told"
check "by code" diff <(echo "$right" | grep -v 'unused a0\|any a2\|any a3') \
	<(grep -v '^a[0-9] \|^[ast][0-9]* \|any a[23]\|made a0' "$dir/told")

# A number below, flags above.
run 0 run --values halves "${often[@]}" --report "values all=$dir/values.csv" \
	build/tests/values/halves
check "upper halves are nearly always the same" grep -qE \
	'pack.*,halves\.high,[0-9]+,1,1,\(100\.00% 0x80000001\)' "$dir/values.csv"
check "lower ones are not" bash \
	-c "grep -qE 'pack.*,halves\.low,([0-9]+),1,[0-9]{2,},' '$dir/values.csv'"
check "what has 32 bits has no halves" bash \
	-c "! grep -qE '\"?(addw|addiw|lw|slliw) .*halves' '$dir/values.csv'"
finish
