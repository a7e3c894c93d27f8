import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { withFileLock } from './file-lock.ts'

let dir: string
let file: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-lock-'))
  file = join(dir, 'accounts.json')
})
afterEach(() => rm(dir, { recursive: true }))

const lock = () => `${file}.lock.1`
const holder = () => withFileLock(file, async () => await readFile(lock(), 'utf8'))

/** The signal ends the first wait. */
const isWaiting = (): Promise<boolean> =>
  withFileLock(file, async () => false, AbortSignal.abort()).catch(({ name }) => {
    expect(name).toBe('AbortError')
    return true
  })

async function endedPid(): Promise<number> {
  const ended = Bun.spawn(['true'])
  await ended.exited
  return ended.pid
}

test('the lock of a killed holder is taken', async () => {
  const [machine] = (await holder()).split(' ')
  await writeFile(lock(), `${machine} ${await endedPid()}`)
  expect(await isWaiting()).toBe(false)
})

test('the lock of a holder that lives, or may live on another machine, is waited for', async () => {
  const [machine] = (await holder()).split(' ')
  for (const of of [`${machine} ${process.pid}`, `elsewhere.test/ ${await endedPid()}`, '']) {
    await writeFile(lock(), of)
    expect([of, await isWaiting()]).toEqual([of, true])
  }
})

test('for two minutes after it was last heard of', async () => {
  await writeFile(lock(), `elsewhere.test/ ${process.pid}`)
  const since = (seconds: number) => new Date(Date.now() - seconds * 1000)
  await utimes(lock(), since(110), since(110))
  expect(await isWaiting()).toBe(true)
  await utimes(lock(), since(121), since(121))
  expect(await isWaiting()).toBe(false)
})

test('work that fails releases it', async () => {
  const failing = withFileLock(file, () => Promise.reject(new Error('no')))
  expect(await failing.catch(({ message }) => message)).toBe('no')
  expect(await isWaiting()).toBe(false)
})

test('within a process, one at a time', async () => {
  const order: string[] = []
  const work = async () => {
    order.push('begins')
    await Bun.sleep(0)
    order.push('ends')
  }
  await Promise.all([withFileLock(file, work), withFileLock(file, work)])
  expect(order).toEqual(['begins', 'ends', 'begins', 'ends'])
})

test('a few of its files are kept', async () => {
  for (let n = 0; n < 20; n++) await withFileLock(file, async () => {})
  expect((await readdir(dir)).length).toBeLessThan(10)
})
