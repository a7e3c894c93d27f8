#!/bin/sh
# Runs the tests in `src`, or those of the arguments. Without the optimizing compiler of the engine: each worker would compile
# much of the service again for tests of milliseconds, a tenth of all that they take.
TMPDIR=$(sh scripts/temp-folder.sh)
export TMPDIR BUN_JSC_useFTLJIT=0
exec bun test --timeout=120000 --parallel --no-isolate --path-ignore-patterns='**/*.alone.test.ts' "${@:-./src}"
