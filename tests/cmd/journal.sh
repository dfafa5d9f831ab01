#!/bin/bash
# Input in regular files: history refers to it instead of keeping it. Going back is exact as long as
# the input is unchanged; a change is reported, and nothing is lost.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh

reads=$top/build/tests/cmd/reads
MEGABYTES=64
python3 -c "
import random
r = random.Random(5)
open('input', 'wb').write(r.randbytes($MEGABYTES << 20))"
cp input original

# session COMMAND...: over the input, with history.
session() {
	local args=()
	for c in "$@"; do args+=(-e "$c"); done
	run "$want" --batch --stdin input "${args[@]}" "$reads"
}
want=0
session continue 'print/d cycle'
end=$(sed -n 's/^cycle = //p' out)
total=$(grep bytes out)
check 'it reads all' grep -q "^$((MEGABYTES << 20)) bytes" out
back=$((end - 12000))

# ---- exact, and small ----
session "goto $back" 'info registers' 'stats'
state() { sed -n '/^ra /,$p' out; }
state >forwards
session continue "goto $back" 'info registers' 'stats'
state >backwards
check 'backwards is where forwards is' diff forwards backwards
session continue "goto $back" continue 'reverse-stepi 100' continue
check 'output comes once' [ "$(grep -c bytes out)" = 1 ]
check 'the end is the same each time' \
	[ "$(grep 'exited with status 0' out | sort | uniq -c | awk '{ print $1 }')" = 3 ]
peak=$(python3 -c "
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)" \
	"$CYCLOPS" --batch --no-init --stdin input -e continue -e "goto $back" "$reads")
# Sanitizers take some memory themselves: the limit only excludes storing the input twice.
plain=$(python3 -c "
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)" \
	"$CYCLOPS" --batch --no-init --stdin /dev/null -e continue -e 'goto 1000' "$reads")
check "history keeps $(((peak - plain) / 1024)) MiB of $MEGABYTES: 40 are plenty" \
	[ $((peak - plain)) -lt $((40 << 10)) ]

# ---- a file that changes in between ----
changed='the program.s input has changed: standard input is not what it was when the program read it'
poke='printf X | dd of=input bs=1 seek=12000000 conv=notrunc 2>/dev/null'
mend='dd if=original of=input bs=1 skip=12000000 seek=12000000 count=1 conv=notrunc 2>/dev/null'
session continue "lua os.execute('$poke')" "goto $back" 'print/d cycle' "lua os.execute('$mend')" \
	"goto $back" 'info registers' stats
check 'a changed byte is noticed' grep -qi "^$changed; nothing is lost" out
check 'one stays where one was' grep -qx "cycle = $end" out
state >backwards
check 'and goes back once it is as it was' diff forwards backwards
session continue "lua os.execute('truncate -s 11000000 input')" "goto $back" \
	"lua os.execute('cat original >input')" "goto $back"
check 'so is a cut' grep -qi "^$changed; nothing is lost" out
check 'which can be mended' grep -q "^cycle " out
session continue "lua os.execute('mv input away')" "goto $back" "lua os.execute('mv away input')"
check 'a file may go elsewhere' grep -q '^cycle ' out
session continue "lua os.execute('printf Y | dd of=input bs=1 seek=1000 conv=notrunc 2>/dev/null')" "goto $back" "lua os.execute('cat original >input')"
check 'what was read first is kept' grep -q '^cycle ' out

# ---- files by name, checkpoints ----
run 0 --batch -e continue -e "goto $back" -e 'save whole' -e continue "$reads" input
check 'by name, too' grep -q "$total" out
check 'a checkpoint holds what was read' [ "$(stat -c %s whole)" -gt 25000000 ]
run 0 run --restore whole "$reads" input
check 'and goes on' grep -q "$total" out
want=1
session continue "goto $((back + 10))" "lua os.execute('$poke')" 'save broken'
check 'no checkpoint of what is gone' grep -q "^cyclops: .*broken: $changed" err
check 'and no part of one' [ ! -e broken ]
cp original input
want=0
run 0 --batch --rw -e continue -e "lua os.execute('$poke')" -e "goto $back" "$reads" input
check 'what the guest may write is kept' grep -q '^cycle ' out
finish
