import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

let dir: string
let silent: Server
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'devnet-install-'))
  silent = createServer(() => undefined).listen(0, '127.0.0.1')
})
afterAll(async () => {
  silent.close()
  await rm(dir, { recursive: true })
})

test.each([
  ['refuses connections', () => 9],
  ['takes them and says nothing', () => (silent.address() as { port: number }).port],
])('a package registry that %s is soon given up, with a sentence', async (what, port) => {
  const folder = join(dir, what)
  for (const name of ['install.sh', 'package.json', 'package-lock.json', '.npmrc']) {
    await cp(join(import.meta.dir, name), join(folder, name))
  }
  const child = Bun.spawn({
    cmd: ['sh', join(folder, 'install.sh'), '1'],
    env: {
      ...{ PATH: process.env['PATH'], HOME: folder },
      npm_config_registry: `http://127.0.0.1:${port()}/`,
    },
    stderr: 'pipe',
  })
  const said = await new Response(child.stderr).text()
  expect(said).toContain(`no connection to the package registry, http://127.0.0.1:${port()}/`)
  expect(await child.exited).toBe(1)
})
