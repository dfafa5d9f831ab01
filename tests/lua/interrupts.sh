#!/bin/bash
# Ctrl-C ends every kind of script, and a session goes on after it: interrupts.py has the kinds.
. tests/lib.sh
riscv64-linux-gnu-gcc -O1 -static -o "$dir/long" -xc - <<<'int main(void) { for (volatile long i = 0;; i++); }'
passes "scripts end by Ctrl-C" tests/lua/interrupts.py "$dir" "$dir/long"
cat "$dir/said"
count=$(sed -n 's/^checks: //p' "$dir/said")
passed=$((${count:-0} + passed))
finish
