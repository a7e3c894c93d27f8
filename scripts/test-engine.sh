#!/bin/sh
# How Bun runs in workers of tests, read by the scripts that start them. Without the optimizing compiler: each worker would
# compile much of the service again for tests of milliseconds, a tenth of all that they take. Without giving freed memory back
# to the system: where a page fault is slow, taking it again costs a third of the processor time. Services that tests start
# inherit the latter. Tests that measure memory or time run alone, without any of this.
export BUN_JSC_useFTLJIT=0 MIMALLOC_PURGE_DELAY=-1
