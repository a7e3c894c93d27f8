import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { SavedAccounts } from './saved-accounts.ts'

let dir: string
let accounts: SavedAccounts
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-accounts-'))
  accounts = new SavedAccounts(join(dir, 'accounts.json'))
})
afterEach(() => rm(dir, { recursive: true }))

const lockOf = (host: string, pid: number) =>
  writeFile(join(dir, 'accounts.json.lock'), `${host} ${pid}`)

async function isWaiting(): Promise<boolean> {
  const given = AbortSignal.timeout(200)
  return await accounts.withLock(async () => false, given).catch(() => given.aborted)
}

test('a lock that a killed command left is taken over', async () => {
  const ended = Bun.spawn(['true'])
  await ended.exited
  await lockOf(hostname(), ended.pid)
  expect(await isWaiting()).toBe(false)
})

test.each([
  ['a command that still runs', hostname()],
  ['a command of another machine', 'elsewhere.test'],
])('the lock of %s is waited for', async (_, host) => {
  const ended = Bun.spawn(['true'])
  await ended.exited
  await lockOf(host, host === hostname() ? process.pid : ended.pid)
  expect(await isWaiting()).toBe(true)
})

test('one command at a time changes what is kept', async () => {
  const order: string[] = []
  const work = (name: string) => async () => {
    order.push(`${name} begins`)
    await Bun.sleep(0)
    order.push(`${name} ends`)
  }
  await Promise.all([accounts.withLock(work('a')), accounts.withLock(work('a'))])
  expect(order).toEqual(['a begins', 'a ends', 'a begins', 'a ends'])
})
