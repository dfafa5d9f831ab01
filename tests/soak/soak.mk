# Programs that tests/soak/soak.lua runs beside the demos.
test-programs: build/tests/reverse/guest build/tests/reverse/profiled build/tests/lua/guest build/tests/lua/xprof build/tests/cmd/guest
