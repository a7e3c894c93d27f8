// `bun bench/soak/slow-publishers.ts [accounts...]`: so many accounts (12, 20, 40) keep six jobs each queued, and their servers
// take nine seconds to answer: on `uploadBlob` only, or on every call; on one server, below one domain, or on servers of their
// own. What somebody else with a quick server waits for meanwhile may be twice the quiet figure and a second.

import { accountOf, siteOf } from '#tests/support/database/sample-rows.ts'
import { startPublishPlane } from '#tests/support/publishing/publish-plane.ts'

const counts = process.argv.length > 2 ? process.argv.slice(2).map(Number) : [12, 20, 40]
const delayMs = 9_000
const publishes = 10
const backlog = 6
const placesOf = {
  'one server': () => 'https://pds.slow.example',
  'one domain': (n: number) => `https://pds${n}.slow.example`,
  'servers of their own': (n: number) => `https://pds.slow${n}.example`,
}
const slowMethods = {
  uploadBlob: (method: string) => method === 'uploadBlob',
  'every call': () => true,
}
const giveUpMs = 60_000

let isOver = false
for (const count of counts) {
  for (const [place, pdsOf] of Object.entries(placesOf)) {
    for (const [slow, isSlow] of Object.entries(slowMethods)) {
      await using plane = await startPublishPlane()
      let honest = 1_000
      const publish = async (): Promise<number> => {
        const did = accountOf(honest++)
        await plane.meet(did, { pds: 'https://pds.quick.example' })
        return await plane.publish(did)
      }
      const quiet = await timesOf(publish)
      for (let n = 0; n < count; n++) {
        const did = accountOf(n)
        await plane.meet(did, { pds: pdsOf(n), delayMs, isSlow })
        for (let job = 0; job < backlog; job++) await plane.queue(siteOf(`site-${job}`, did))
      }
      const attacked = await timesOf(publish)
      const max = 2 * median(quiet) + 1_000
      const worst = Math.max(...attacked)
      isOver ||= worst > max
      process.stdout.write(
        `${count} accounts, ${place}, ${slow}: quiet ${told(quiet)}; attacked ${told(attacked)} ` +
          `(${worst <= max ? 'within' : 'OVER'} ${max.toFixed(0)} ms)\n`,
      )
    }
  }
}
process.exit(isOver ? 1 : 0)

async function timesOf(publish: () => Promise<number>): Promise<number[]> {
  const times: number[] = []
  for (let n = 0; n < publishes; n++) {
    const late = new Promise<number>((resolve) => setTimeout(resolve, giveUpMs, giveUpMs))
    const ms = await Promise.race([publish(), late])
    times.push(ms)
    if (ms >= giveUpMs) break
  }
  return times
}

function median(times: readonly number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
}

function told(times: readonly number[]): string {
  return `p50 ${median(times).toFixed(0)} ms, max ${Math.max(...times).toFixed(0)} ms`
}
