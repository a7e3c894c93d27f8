import { expect, test } from 'bun:test'

const { freePort }: { freePort(): Promise<number> } = await import(
  import.meta.resolve('./free-port.mjs')
)

test('a port is not given twice soon, also when nobody listens on it yet', async () => {
  const ports: number[] = []
  for (let n = 0; n < 300; n++) ports.push(await freePort())
  expect(new Set(ports).size).toBe(ports.length)
})
