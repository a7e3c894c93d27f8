import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let dir: string
let silent: Server
/** When somebody connected to the silent one for the first time, and gave it up for the last. */
let asked: number | null = null
let givenUp: number | null = null
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'devnet-install-'))
  silent = createServer((socket) => {
    asked ??= performance.now()
    // What is not read does not end.
    socket.resume().on('error', () => undefined)
    socket.on('close', () => {
      givenUp = performance.now()
    })
  }).listen(0, '127.0.0.1')
})
afterAll(async () => {
  silent.close()
  await rm(dir, { recursive: true })
})

test.each([
  ['refuses connections', () => 9],
  ['takes them and says nothing', () => (silent.address() as { port: number }).port],
])(
  'a package registry that %s is given up within 15 seconds, with a sentence',
  async (what, port) => {
    const folder = join(dir, what)
    for (const name of ['install.sh', 'package.json', 'package-lock.json', '.npmrc']) {
      await cp(join(import.meta.dir, name), join(folder, name))
    }
    const child = Bun.spawn({
      cmd: ['sh', join(folder, 'install.sh')],
      env: {
        ...{ PATH: process.env['PATH'], HOME: folder },
        npm_config_registry: `http://127.0.0.1:${port()}/`,
      },
      stderr: 'pipe',
    })
    const said = await new Response(child.stderr).text()
    expect(said).toContain(`no connection to the package registry, http://127.0.0.1:${port()}/`)
    expect(await child.exited).toBe(1)
    // Not the time of the whole: npm starts three times, which takes two seconds on a machine with nothing else to do, and
    // no test can say how many on a busy one.
    if (asked !== null) expect((givenUp ?? Number.POSITIVE_INFINITY) - asked).toBeLessThan(13_000)
  },
)
