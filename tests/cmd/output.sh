#!/bin/bash
# Standard output and standard error in the order in which the program wrote them: in the view, at
# any place in time, across a checkpoint, and where both go to one file.
# shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
turns=$top/build/tests/cmd/turns
NOTHING=':the program has written nothing yet'

# The rows of the last view in out, on a line: err! before text of standard error, a colon before
# the rest.
rows() { awk '/^Guest output/ { n = 0; next } /^ +text$/ { next } { row[n++] = $0 } END { for (i = 0; i < n; i++) print row[i] }' out | sed 's/^err  /err!/; s/^  */:/' | xargs; }
shows() { check "the view should be '$1', not '$(rows)'" [ "$(rows)" = "$1" ]; }
WHOLE=':one err!two :three err!four err!five :six :seven err!eight'

batch 0 "$turns" continue 'view output'
shows "$WHOLE"
check "both are kept apart" [ "$(grep -xE 'one|three six|seven' out | xargs)" \
	= 'one three six seven' ]
is err "$(printf '%s\n' two four five eight)"
n=0
for row in $(tac -s ' ' <<<"$WHOLE " | xargs); do
	last="$row${last:+ $last}" n=$((n + 1))
	batch 0 "$turns" continue "view output $n"
	shows "$last"
done
batch 0 "$turns" continue 'view output 9'
shows "$WHOLE"

# The output follows the program back and forth; at the k-th stop it has written k - 1 times.
written=("$NOTHING" ':one' ':one err!two' ':one err!two :three' \
	':one err!two :three err!four err!five'
	':one err!two :three err!four err!five :six :seven')
walk=('break write')
for k in 0 1 2 3 4 5; do
	walk+=(continue)
	batch 0 "$turns" "${walk[@]}" 'view output'
	shows "${written[k]}"
done
walk+=(continue)
for k in 5 4 3 2 1 0; do
	walk+=(reverse-continue)
	batch 0 "$turns" "${walk[@]}" 'view output'
	shows "${written[k]}"
done
batch 0 "$turns" "${walk[@]}" 'delete 1' continue 'view output'
shows "$WHOLE"
# Another continuation from the middle on.
batch 0 "$turns" "${walk[@]:0:5}" continue reverse-continue 'set x31 = 1' 'delete 1' continue \
	'view output'
shows "$WHOLE"

# ---- across a checkpoint ----
batch 0 "$turns" "${walk[@]:0:5}" 'save here'
batch 0 "$turns" 'restore here' 'view output'
shows "${written[3]}"
batch 0 "$turns" 'restore here' continue 'view output'
shows "$WHOLE"
batch 0 "$turns" 'restore here' continue 'save end' 'restore here' 'restore end' 'view output 3'
shows ':six :seven err!eight'

# ---- both into one file ----
"$CYCLOPS" -n --batch -e continue "$turns" >both 2>&1
check "one file has both in order: $(xargs <both)" [ "$(head -n 7 both | xargs)" \
	= 'one two three four five six seven eight' ]
"$CYCLOPS" run "$turns" >both 2>&1
check "also without a session: $(xargs <both)" [ "$(head -n 7 both | xargs)" \
	= 'one two three four five six seven eight' ]

# ---- a program without output ----
echo 'int main(void) { return 0; }' >silent.c
riscv64-linux-gnu-gcc -static -o silent silent.c || exit 1
batch 0 silent 'view output' continue 'view output'
shows ':the program has written nothing'
check 'before its end it may still' [ "$(grep -c 'has written nothing yet$' out)" = 1 ]
finish
