import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasBrowser, startBrowser } from './support/browser.ts'
import { startServiceProcess } from './support/service-process.ts'

const stopMsMax = 5_000

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-commands-'))
})
afterAll(() => rm(dir, { recursive: true }))

interface Ready {
  readonly app: string
  readonly baseDomain: string
  readonly port: number
  readonly pds: string
  readonly plc: string
  readonly accounts: readonly { handle: string; did: string; password: string }[]
  readonly sites: readonly { did: string; rkey: string; url: string }[]
}

describe('demo', () => {
  test('prints one ready line that is true, and stops with everything it started', async () => {
    await using demo = await startServiceProcess(['demo', '--port', '0', '--data', dir])
    const ready = demo.ready as unknown as Ready
    expect(demo.output().match(/^ready /gm)).toHaveLength(1)
    expect(ready.app).toBe(`http://127.0.0.1:${ready.port}`)
    expect(ready.baseDomain).toBe('localhost')
    expect(ready.accounts.map(({ handle }) => handle)).toEqual([
      'alice.test',
      'bob.test',
      'carol.test',
    ])
    expect((await fetch(ready.app)).status).toBe(200)
    const [site] = ready.sites
    expect(await (await fetch(site?.url ?? '')).text()).toContain('Hello')

    const stoppingSince = performance.now()
    expect(await demo.end('SIGTERM')).toBe(0)
    expect(performance.now() - stoppingSince).toBeLessThan(stopMsMax)
    for (const url of [ready.app, ready.pds, ready.plc]) {
      await expect(fetch(url)).rejects.toThrow()
    }
  }, 60_000)

  test('starts again with the same accounts and the same site', async () => {
    await using demo = await startServiceProcess(['demo', '--port', '0', '--data', dir])
    const ready = demo.ready as unknown as Ready
    const answer = await fetch(ready.sites[0]?.url ?? '')
    expect(answer.headers.get('x-sitehost-record')).toBe(
      `at://${ready.accounts[0]?.did}/place.sitehost.fs/hello`,
    )
    expect(await demo.end('SIGTERM')).toBe(0)
  }, 60_000)

  test.skipIf(!hasBrowser)(
    'its sample site opens in a browser',
    async () => {
      await using demo = await startServiceProcess(['demo', '--port', '0', '--data', dir])
      const browser = await startBrowser()
      const page = await browser.newPage()
      await page.goto((demo.ready as unknown as Ready).sites[0]?.url ?? '')
      await page.getByRole('heading', { name: 'Hello!' }).waitFor()
      await page.getByRole('link', { name: 'What is in this site' }).click()
      await page.getByRole('heading', { name: 'What is in this site' }).waitFor()
      await browser.close()
      expect(await demo.end('SIGTERM')).toBe(0)
    },
    60_000,
  )
})

describe('dev', () => {
  test('is the same, empty, and stops as fast', async () => {
    await using dev = await startServiceProcess(['dev', '--port', '0', '--data', join(dir, 'dev')])
    const ready = dev.ready as unknown as Ready
    expect(ready.sites).toEqual([])
    expect(ready.accounts).toHaveLength(3)
    expect((await fetch(ready.app)).status).toBe(200)
    const stoppingSince = performance.now()
    expect(await dev.end('SIGTERM')).toBe(0)
    expect(performance.now() - stoppingSince).toBeLessThan(stopMsMax)
    for (const url of [ready.app, ready.pds]) await expect(fetch(url)).rejects.toThrow()
  }, 60_000)
})

describe('serve', () => {
  test('says which setting cannot be used', async () => {
    const started = startServiceProcess(['serve', '--base-url', 'https://sitehost.example'])
    await expect(started).rejects.toThrow(/BASE_URL/)
  })

  test('says so when its port is taken', async () => {
    using taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const args = ['serve', '--port', String(taken.port), '--data', join(dir, 'serve')]
    await expect(startServiceProcess(args)).rejects.toThrow(`port ${taken.port} is in use`)
  })
})
