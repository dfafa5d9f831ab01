#!/bin/bash
# Every statistic against a second count.
exec "${BUILD:-build/release}/tests/stats/recount"
