// A program of its own, in place of the service: as many slow answers as the service may wait for, and one more.

import { requestPools } from '#main/service/request-pools.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'

const everyMs = 100
const slow = Bun.serve({
  ...{ port: 0, hostname: '127.0.0.1', idleTimeout: 0 },
  fetch: ({ url }) =>
    url.endsWith('/quick')
      ? new Response('quick')
      : new Response(
          new ReadableStream({
            async pull(controller) {
              await Bun.sleep(everyMs)
              controller.enqueue(new Uint8Array(8_000))
            },
          }),
        ),
})

let begun = 0
const perHost = { max: 1024, waitingMax: 1024 }
const all = Promise.withResolvers<void>()
const pools = Object.values(requestPools)
const count = pools.reduce<number>((sum, { requestsMax }) => sum + requestsMax, 0)
for (const { requestsMax } of pools) {
  const fetch = createSafeFetch({ allowPrivate: true, perHost, requestsMax })
  // One more: it waits here, and not in Bun.
  for (let n = 0; n <= requestsMax; n++) {
    const request = fetch(slow.url).then(async ({ body }) => {
      if (++begun === count) all.resolve()
      for await (const _ of body ?? []);
    })
    request.catch(all.reject)
  }
}
await all.promise
const fetch = createSafeFetch({ allowPrivate: true })
console.log(await (await fetch(new URL('/quick', slow.url))).text(), begun - count)
process.exit(0)
