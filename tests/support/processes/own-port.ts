import { freePort } from '#main/process/free-port.ts'

// Neither those that `freePort` gives to services nor those of devnet.
const portMin = 28_000
const portMax = 32_767

/** Bun numbers the test processes of a run from 1. */
const stripes = 4
const stripe = Number(process.env['BUN_TEST_WORKER_ID'] ?? 0) % stripes
const portsInStripe = Math.floor((portMax - portMin + 1) / stripes)

// Runs beside this one begin elsewhere.
let next = process.pid % portsInStripe

/**
 * A port for a server that a test stops and starts again: of a stripe that only this test process uses, and given again
 * only after all others of it, so that no other server takes it meanwhile.
 */
export const ownPort = (): Promise<string> =>
  freePort(() => portMin + stripe * portsInStripe + (next++ % portsInStripe))
