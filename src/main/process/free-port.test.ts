import { expect, test } from 'bun:test'
import { freePort } from './free-port.ts'

test('is not one that the system hands out for connections', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()))
  for (const port of ports.map(Number)) expect(port).toBeWithin(20_000, 24_000)
})

test('can be listened on', async () => {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: Number(await freePort()),
    fetch: () => new Response('here'),
  })
  expect(await (await fetch(server.url)).text()).toBe('here')
  await server.stop(true)
})

test('is the next candidate where a process listens', async () => {
  await using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  const other = Number(await freePort())
  const candidates = [server.port ?? 0, other]
  expect(await freePort(() => candidates.shift() ?? 0)).toBe(String(other))
})
