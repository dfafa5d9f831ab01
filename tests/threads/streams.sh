#!/bin/bash
# Contexts and counters by thread, coroutine and handler (streams.py).
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/threads/streams.py
