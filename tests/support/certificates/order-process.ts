// `bun order-process.ts <OrderProcess as JSON>`: orders the certificates that are due, as the service's thread does, until none is,
// and dies at the fail point. Prints how many it ordered.
import type { Authority } from '#certificates/authority.ts'
import { orderDue } from '#certificates/keep-certificates.ts'
import { openKeySeal } from '#certificates/sealed-keys.ts'
import { parseDnsServerAddress } from '#outbound/dns/dns-server-address.ts'
import { createLookUp } from '#outbound/dns/look-up.ts'
import { openDatabase } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'

/** What a process that orders is told. */
export interface OrderProcess {
  readonly database: Parameters<typeof openDatabase>[0]
  readonly applicationHost: string
  readonly authority: Authority
  readonly dnsServer: string
  readonly secrets: readonly [string, ...string[]]
  /** How far its clock is ahead. */
  readonly laterMs: number
  /** Where it dies; null: nowhere. */
  readonly failPoint: string | null
}

const told = JSON.parse(process.argv[2] ?? '') as OrderProcess
const server = parseDnsServerAddress(told.dnsServer)
if (server === null) throw new Error(told.dnsServer)
await using database = openDatabase(told.database)
const quiet = (): void => {}
const { signal } = new AbortController()
const context = {
  db: database.db,
  applicationHost: told.applicationHost,
  at(point: string) {
    if (point === told.failPoint) process.kill(process.pid, 'SIGKILL')
  },
  authorities: [told.authority],
  log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
  lookUp: createLookUp({ servers: [server], signal }),
  now: () => Date.now() + told.laterMs,
  seal: await openKeySeal(told.secrets),
  signal,
  wakeUps: new WakeUps(),
}
const counts = await Promise.all([1, 2, 3, 4].map(() => orderDue(context)))
process.stdout.write(`${counts.reduce((sum, count) => sum + count)}\n`)
