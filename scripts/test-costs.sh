#!/bin/sh
# Runs tests, all or those of the arguments, and lists the files by processor time: seconds of processor time, of which of
# child processes, and seconds by the clock. What a worker has started before its first test counts for that file.
. ./scripts/test-engine.sh
TEST_COSTS=$(mktemp)
export TEST_COSTS
bun test --preload=./scripts/test-costs.ts --timeout=120000 --parallel=4 --no-isolate --only-failures "$@"
status=$?
sort -rn "$TEST_COSTS"
rm "$TEST_COSTS"
exit $status
