test-programs: build/tests/cli/guest
