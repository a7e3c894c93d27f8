import { afterAll, expect, test } from 'bun:test'
import { steerConnections } from '#main/supervisor/steer-connections.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'

const port = Number(await ownPort())
const servers = ['first', 'second'].map((name) =>
  Bun.serve({ port, hostname: '127.0.0.1', reusePort: true, fetch: () => new Response(name) }),
)
afterAll(() => Promise.all(servers.map((server) => server.stop(true))))

/** Who answers a number of new connections. */
async function answering(): Promise<Set<string>> {
  const ask = async () =>
    await (await fetch(`http://127.0.0.1:${port}/`, { keepalive: false })).text()
  return new Set(await Promise.all(Array.from({ length: 32 }, ask)))
}

test('new connections go to the place that was named, or to all', async () => {
  expect(await answering()).toEqual(new Set(['first', 'second']))
  for (const [place, name] of ['first', 'second'].entries()) {
    expect(steerConnections(port, place)).toBeTrue()
    expect(await answering()).toEqual(new Set([name]))
  }
  expect(steerConnections(port, null)).toBeTrue()
  expect(await answering()).toEqual(new Set(['first', 'second']))
})

test('a port at which this process does not listen has no connections to steer', () => {
  expect(steerConnections(1, 0)).toBeFalse()
})
