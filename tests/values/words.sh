#!/bin/bash
# Captured words of the system and of memory: thread, process, signals, and which thread holds a
# lock (Burrows and others, 2.3), by each method. Each is known from the function of the tuple.
. tests/lib.sh
cat >"$dir/system.lua" <<'EOF'
return {
	capture = { int = "thread process blocked pending" },
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			add(t.pc, t.process << 32 | t.thread << 16 | (t.blocked >> 9 & 1) << 8
				| t.pending >> 9 & 1)
		end
	end,
}
EOF
cat >"$dir/memory.lua" <<'EOF'
return {
	capture = { mul = "thread *holder *holder+8 *nothing" },
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			add(t.pc, t.thread << 32 | (t["*holder"] or 0xff) << 16
				| (t["*holder+8"] or 0xff) << 8 | (t["*nothing"] and 1 or 0))
		end
	end,
}
EOF
cat >"$dir/judge.lua" <<'EOF'
local method, slice = arg[2], tonumber(arg[3])
local m = cyclops.machine{ program = "build/tests/values/words", values = arg[1] .. "/" .. arg[4] .. ".lua",
	set = { ["vsample.method"] = method, ["os.slice"] = slice, ["vsample.interval_min"] = 61,
		["vsample.interval_max"] = 97, ["vsample.length"] = 3, ["values.method"] = "exact", ["vsample.service"] = 1 } }
m:run()
local seen, wrong = {}, 0
local function count(kind, f)
	for list in m.values:each(kind, "exact") do
		local name = (m:sym(list.pc) or {}).name
		for _, v in ipairs(list) do
			if name and name:match "^work_" then
				local ok = f(name, v.value)
				seen[name] = (seen[name] or 0) + v.count
				wrong = wrong + (ok and 0 or 1)
				if not ok then print(kind, name, ("%x"):format(v.value)) end
			end
		end
	end
end
local judges = {}
function judges.system(name, v)
	local blocked = name == "work_blocked" or name == "work_pending"
	return v >> 32 == 1000 and (v >> 16 & 0xffff == 1 or v >> 16 & 0xffff == 2)
		and (v >> 8 & 0xff == 1) == blocked and (v & 0xff == 1) == (name == "work_pending")
end
-- By bouncing back memory is not known.
function judges.memory(name, v)
	local holder = v >> 16 & 0xff
	if method == "bounce" then
		return v & 0xffffff == 0xffff00 & 0xffffff
	end
	local held = name == "work_held"
	return v & 0xff == 0 and v >> 8 & 0xff == 7 and (holder == v >> 32) == held
		and (held or holder <= 2)
end
count(arg[4], judges[arg[4]])
local functions, tuples = 0, 0
for _, n in pairs(seen) do functions, tuples = functions + 1, tuples + n end
print(m.status, wrong, functions, tuples > 500)
EOF
# Few interrupts come to a multiplication alone, and bouncing back has little of those.
declare -A right=([handler]="4	true" [upcall]="4	true" [bounce]="[1-4]	(true|false)")
for method in handler upcall bounce; do
	for slice in 1500 100000; do
		for words in system memory; do
			run 0 lua "$dir/judge.lua" "$dir" $method $slice $words
			check "$method, slices of $slice: each word of $words is its function's" \
				grep -qE "^exited	0	${right[$method]}$" "$dir/out"
		done
	done
done
finish
