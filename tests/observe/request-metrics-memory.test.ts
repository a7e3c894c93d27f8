import { expect, test } from 'bun:test'

test('a million observations allocate nothing', async () => {
  const script = `
    import { heapStats } from 'bun:jsc'
    import { RequestMetrics } from '#observe/request-metrics.ts'
    const metrics = new RequestMetrics({ now: Date.now })
    const observe = (n) => metrics.observe(n % 2 ? 'app' : 'edge', 200 + (n % 4) * 100, n * 1.5)
    globalThis.kept = null
    const allocate = (n) => { globalThis.kept = { n } }
    const grownBy = (act) => {
      // The first calls are interpreted, and compiled.
      for (let n = 0; n < 200_000; n++) act(n)
      const before = heapStats().heapCapacity
      for (let n = 0; n < 1_000_000; n++) act(n)
      return heapStats().heapCapacity - before
    }
    console.log(JSON.stringify([grownBy(observe), grownBy(allocate)]))
  `
  // Without a garbage collector the heap grows by all that is allocated.
  const env = { ...process.env, BUN_JSC_useGC: '0' }
  const child = Bun.spawn([process.execPath, '-e', script], { env, stderr: 'inherit' })
  const [observing, allocating] = JSON.parse(await new Response(child.stdout).text())
  expect(observing).toBeLessThan(200_000)
  expect(allocating).toBeGreaterThan(10_000_000)
})
