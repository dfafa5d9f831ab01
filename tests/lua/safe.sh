#!/bin/bash
# `cyclops lua --lua-safe`, and the limit of Lua's memory: an untrusted script's reach, and its
# limits of time.
. tests/lib.sh
. tests/lua/script.sh

# With --lua-safe: only files below this folder and beside the script, no writes, no persistent
# effects, limits.
safe() {
	local said=$1
	options="--lua-safe --lua-steps ${steps:-20M}" run 1 \
		"local m = cyclops.machine{ program = '$G' } $2"
	says err "$said"
}
safe "attempt to index a nil value (global 'io')" "io.write 'x'"
safe "attempt to index a nil value (global 'os')" "os.exit(0)"
safe "rw: with --lua-safe no program may write files" "cyclops.machine{ program = '$G', rw = true }"
safe "program = '/bin/true': with --lua-safe only what is below" \
	"cyclops.machine{ program = '/bin/true' }"
safe "stdin = '/etc/passwd': with --lua-safe" \
	"cyclops.machine{ program = '$G', stdin = '/etc/passwd' }"
safe "config = '/etc/passwd': with --lua-safe" \
	"cyclops.machine{ program = '$G', config = '/etc/passwd' }"
safe "firmware = '/bin/true': with --lua-safe" \
	"cyclops.machine{ program = '$G', firmware = '/bin/true' }"
safe "dirs = '/etc': with --lua-safe" "cyclops.machine{ program = '$G', dirs = { '/x=/etc' } }"
safe "rw: with --lua-safe no program may write files" \
	"cyclops.machine{ program = '$G', dirs = { '/x=build:rw' } }"
safe "sysroot = '/etc': with --lua-safe" "cyclops.machine{ program = '$G', sysroot = '/etc' }"
mkfifo "$dir/pipe"
for what in cop predictor config values; do
	safe 'a pipe, not a file' "cyclops.machine{ program = '$G', $what = '$dir/pipe', set = { ['cop.enable'] = true } }"
done
rm "$dir/pipe"
safe "source = '/etc/passwd': with --lua-safe" "m:source('/etc/passwd', 1)"
safe "save: with --lua-safe no file is written" "m:save 'x'"
safe "load = '/etc/passwd': with --lua-safe" "m:load '/etc/passwd'"
for line in "save x" "restore x" "source x" "trace konata x" "alias s save; s x" \
	"continue; save x" "shell touch x" "!touch x" \
	'lua os.execute "touch x"' "lua x.lua" 'alias l lua; l io.open("x", "w")' \
	"break twice; commands; save x; end; continue"; do
	safe "reaches files, which --lua-safe forbids" "m:cmd '$line'"
done
safe "machine of cyclops can't be set" "cyclops.machine = nil"
steps=3M safe "computes for too long" "while true do pcall(error) end"
safe "not enough memory" \
	"local u, t = ('x'):rep(5000), {} for i = 1, 1e9 do t[i] = u:rep(200) .. i end"
# The work of its machines counts as the script's, and their memory, too.
for move in "m:run()" "while true do pcall(m.run, m) end" "m:cmd 'continue'" \
	"m:run{ until_cycle = 1 << 60 }" "while true do m:run{ insts = 1000 } m:go(1) end"; do
	steps=3M safe "computes for too long" \
		"m = cyclops.machine{ program = '$G', args = {'l'} } $move"
done
steps=3M safe "computes for too long" \
	"cyclops.machine{ program = '$G', args = {'l'}, ff = 1 << 50 }"
# Also steps of their plug-ins, any of which may compute for long in one call.
loop='for i = 1, 20000 do end'
for plugin in "predictor = '\nreturn { predict = function() $loop return true end }'" \
	"stage = '\nreturn { take = function() $loop end }'" \
	"prefetcher = '\nreturn { access = function() $loop end }'"; do
	steps=3M safe "computes for too long" "m = cyclops.machine{ program = 'build/demos/hello', $plugin } pcall(m.run, m) m:run()"
done
steps=3M safe "computes for too long" "m = cyclops.machine{ program = 'build/demos/xprof/calls', flags = '\nreturn { flag = function() return true end, decoded = function() $loop end }' } m:run()"
steps=1M safe "computes for too long" "m = cyclops.machine{ program = '$G', args = {'l'} } m:run{ cycles = 20000 } pcall(m.whatif, m) print(1)"
safe "(m:whatif() has one), which --lua-safe forbids" "m:step(1000) m:cmd 'what-if'"
options=--lua-safe run 0 \
	"local m = cyclops.machine{ program = '$G' } m:step(1000) print(m:whatif().cycles <= 1000)"
check "a stretch is run again" [ "$(cat "$dir/out")" = true ]
[[ $BUILD == *@(asan|breaks)* ]] || safe "out of memory" "local t = {} for i = 1, 500 do t[i] = cyclops.machine{ program = '$G', set = { ['l2.size'] = '64M' } } end"
check "nothing was written" [ ! -e x ]
options="-o sim.lua_memory=16M" run 1 "local t = {} for i = 1, 1e9 do t[i] = {} end"
says err "not enough memory: Lua has 16 MiB here"
options="-o sim.lua_memory=16M" run 0 "local t = {} for i = 1, 1e5 do t[i] = {} end"
options="--lua-safe -o sim.lua_memory=1G" run 1 \
	"local u, t = ('x'):rep(5000), {} for i = 1, 1e9 do t[i] = u:rep(20) .. i end"
says err "not enough memory: Lua has 256 MiB here"
options=--lua-safe run 0 "local m = cyclops.machine{ program = '$G' }
local n = 0
m:on('commit', { pc = m.twice }, function(e) n = n + 1 m.regs.a0 = n end)
print(coroutine.wrap(function() return m:run().reason, n, m:cmd 'print a0' end)())"
check "and everything else works, in a coroutine too" [ "$(head -n 1 "$dir/out" | cut -f 1,2)" \
	= "$(printf 'exit\t5')" ]

# An untrusted script: its permissions and its limits of time (tests/unit/scripting/test_host.c has
# more).
echo 'shared = (shared or 0) + 1 return { n = shared }' >"$dir/util.lua"
options=--lua-safe
run 0 "assert(io == nil and os == nil and debug == nil and package == nil)
assert(require('util').n == 1 and shared == 1 and load('return shared')() == 1)
assert(not pcall(function() cyclops.machine = nil end) and not pcall(function() string.format = nil end))
print(cyclops.machine{ program = '$G' }:step().cycle)"
check "prints 1" [ "$(cat "$dir/out")" = 1 ]
run 1 "x = 1
string = {}"
says err "script.lua:2: 'string' is Lua's own here and can't be set"
run 1 "require '../secret'"
says err "a module is called as its file in the script's folder"
run 1 "local u, t = ('x'):rep(5000), {} while true do t[#t + 1] = u:rep(20) .. #t end"
says err "not enough memory: Lua has 256 MiB here"
options=

finish
