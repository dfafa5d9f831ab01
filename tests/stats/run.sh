#!/bin/bash
# Every statistic against a second count of what it says.
exec "${BUILD:-build/release}/tests/stats/recount"
