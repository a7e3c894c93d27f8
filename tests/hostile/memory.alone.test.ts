import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type HostileLoad, startHostileLoad } from '#tests/support/hostile/hostile-load.ts'
import { bombOfOneGibibyte, fileIn, manifest } from '#tests/support/hostile/hostile-rows.ts'
import type { ServiceProcess } from '#tests/support/processes/service-process.ts'
import { visit } from '#tests/support/visitors/plain-sites.ts'
import { eventually } from '../support/eventually.ts'

// A part of `bench/soak/hostile.ts`: every hostile record there is, by two accounts at once.

const mebibyte = 1024 * 1024
const growthBytesMax = 64 * mebibyte
const bombBytesMax = 32 * mebibyte
const bombMsMax = 1000
const sampleEveryMs = 50

let load: HostileLoad
let service: Pick<ServiceProcess, 'pid' | 'residentBytes'>
beforeAll(async () => {
  load = await startHostileLoad(2)
  if (load.place.process === null) throw new Error('the service is in this process')
  service = load.place.process
  // Code and heap that the first of everything takes, hostile or not.
  await load.attack({ rounds: 1 })
}, 120_000)
afterAll(() => load[Symbol.asyncDispose]())

/** How much more memory the service had than before, at most, while `work` went on. */
async function growthDuring(work: () => Promise<unknown>, meanwhile = () => {}): Promise<number> {
  const before = await service.residentBytes()
  let peak = before
  const sampler = setInterval(() => {
    meanwhile()
    void service.residentBytes().then((bytes) => {
      peak = Math.max(peak, bytes)
    })
  }, sampleEveryMs)
  try {
    await work()
  } finally {
    clearInterval(sampler)
  }
  return peak - before
}

/** That the service took so far, in all its threads (proc(5): fields 14 and 15, in hundredths of a second). */
async function serviceCpuMs(): Promise<number> {
  const fields = (await Bun.file(`/proc/${service.pid}/stat`).text()).split(' ')
  return (Number(fields[13]) + Number(fields[14])) * 10
}

test('hostile records take little memory, and another site is there meanwhile', async () => {
  const visits: (string | number)[] = []
  let versions = 0
  const growth = await growthDuring(
    async () => {
      versions = await load.attack({ rounds: 1 })
    },
    () => void visit(load.page).then((body) => visits.push(body)),
  )
  process.stderr.write(`${versions} hostile versions: ${(growth / mebibyte).toFixed(0)} MB\n`)
  expect(new Set(visits).size).toBe(1)
  expect(growth).toBeLessThan(growthBytesMax)
}, 120_000)

test('H14 a bomb of a gigabyte takes a second at most, and 32 MB', async () => {
  const { place } = load
  const encodings = { gzip: { encoding: 'gzip' }, base64: { encoding: 'gzip', base64: true } }
  for (const [site, facts] of Object.entries(encodings)) {
    const bomb = bombOfOneGibibyte()
    const content = site === 'base64' ? Buffer.from(bomb).toString('base64') : bomb
    const node = await fileIn(place.repo, content, facts)
    const cpuBefore = await serviceCpuMs()
    const growth = await growthDuring(async () => {
      await place.repo.put(`place.sitehost.fs/${site}`, manifest(site, [{ name: 'a', node }]))
      await eventually(async () => {
        const problems = (await place.problems()).get(site)
        expect(problems).toEqual(['"a" is larger than 104857600 bytes'])
      })
    })
    expect((await serviceCpuMs()) - cpuBefore).toBeLessThan(bombMsMax)
    expect(growth).toBeLessThan(bombBytesMax)
  }
}, 120_000)
