#!/bin/bash
# Code replaced in all ways (new_code.c): with timing, on each preset, the results equal those
# without.
#
# CYCLOPS_TEST_SCALE=long takes fifty seeds of each.
cd "$(dirname "$0")/../.." || exit 1
within=build
# shellcheck source=tests/lib.sh
. tests/lib.sh
SCALE=${CYCLOPS_TEST_SCALE:-full}
gcc="riscv64-linux-gnu-gcc -std=gnu17 -O1 -Wall -Wextra -I."
$gcc -static -o "$dir/alone" tests/xprof/new_code.c -Wl,--no-warnings || exit 1
$gcc -o "$dir/loads" tests/xprof/new_code.c || exit 1
for which in 0 1; do
	$gcc -shared -fPIC -DWHICH=$which -o "$dir/libnew$which.so" tests/xprof/new_library.c \
		-nostdlib || exit 1
done
cd "$dir" || exit 1
seeds=1
[ "$SCALE" != long ] || seeds=50
presets=(default vaswani2003 zilles2001 sastry2001 ammons1997 burrows2000 inorder2 wide6 classic5)
[ "$SCALE" != small ] || presets=(default)
for seed in $(seq 1 $seeds); do
	run 0 run --functional alone "$seed" 60
	says out '60 versions'
	run 0 run --functional loads "$seed" 20 .
	says out '20 versions'
	for preset in "${presets[@]}"; do
		run 0 run --config "$preset" alone "$seed" 60
		says out '60 versions'
		run 0 run --config "$preset" -o os.slice=1000 loads "$seed" 20 .
		says out '20 versions'
	done
	# A part of the way without timing.
	run 0 run --ff 40000 alone "$seed" 60
	says out '60 versions'
done
# The co-processor's tables mask known instructions: new ones are not known.
cat >masked.lua <<'X'
local HIGH <const>, LOW <const> = 0x40000, 0x50000
local m <close> = cyclops.machine{ program = arg[1], args = { "1", "20" },
	config = { ["cop.enable"] = true } }
m.cop:write{ { HIGH, -1 }, { LOW, 1 } }
assert(m.cop:read(HIGH) == -1 and m.cop:read(LOW) == 1)
m:run()
assert(m.status == "exited" and m.cop:read(HIGH) == 0 and m.cop:read(LOW) == 0)
print("nothing is masked")
X
run 0 lua masked.lua alone
says out 'nothing is masked'
finish
