-- For lab 11: runs the same program without counters to the same place; $plain is its cycle there.
local plain = cyclops.machine{ program = "build/demos/json",
	args = { "demos/programs/input/timezones.json", "version" }, history = false }
plain:cmd "break intern"
plain:cmd "ignore 1 1500"
plain:run()
m:cmd("set $plain = " .. plain.cycle)
