#!/bin/sh
# Runs the tests in `src`, or those of the arguments.
. ./scripts/test-engine.sh
TMPDIR=$(sh scripts/temp-folder.sh)
export TMPDIR
exec bun test --timeout=120000 --parallel --no-isolate --path-ignore-patterns='**/*.alone.test.ts' "${@:-./src}"
