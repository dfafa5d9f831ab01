#!/bin/bash
# The co-processor's engine against its reference, and its words: the scripts of
# BUILD/tests/cop/micro_host.
. tests/lib.sh

for script in tests/cop/test_engine.lua tests/cop/test_words.lua; do
	counts "$BUILD/tests/cop/micro_host" "$script"
done
finish
