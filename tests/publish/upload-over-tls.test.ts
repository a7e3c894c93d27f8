import { afterAll, expect, test } from 'bun:test'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { withPatience } from '#publish/server-patience.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { noPause } from '#tests/support/servers/fake-repo.ts'
import { certificate, certificateKey } from '#tests/support/servers/self-signed.ts'

const tls = { cert: certificate, key: certificateKey }
/** How a server fails after it has received the beginning of a body. */
type Fault = 'reset' | 'refused'

let faults: Fault[] = []
let requests = 0
const server = Bun.serve({
  ...{ port: 0, hostname: '127.0.0.1', tls },
  async fetch(request) {
    requests += 1
    if (faults[0] === 'refused') {
      faults.shift()
      const reader = request.body?.getReader()
      await reader?.read()
      return Response.json({ error: 'InternalServerError' }, { status: 503 })
    }
    const bytes = await request.bytes()
    const digest = new Bun.CryptoHasher('sha256').update(bytes).digest()
    const blob = { $type: 'blob', ref: { $link: rawCid(digest) } }
    return Response.json({ blob: { ...blob, mimeType: 'image/png', size: bytes.length } })
  },
})
const resetting = Bun.listen({
  ...{ port: 0, hostname: '127.0.0.1', tls },
  socket: {
    data(socket) {
      if (faults[0] !== 'reset') return
      faults.shift()
      requests += 1
      socket.terminate()
    },
  },
})
afterAll(async () => {
  resetting.stop(true)
  await server.stop(true)
})

const safeFetch = createSafeFetch({
  resolve: async () => ['93.184.216.34'],
  connect: async (request, init) => {
    const url = new URL(request.url)
    url.host = `127.0.0.1:${(faults[0] === 'reset' ? resetting : server).port}`
    return await fetch(new Request(url, request), {
      ...init,
      tls: { ...(init.tls as object), ca: certificate },
    })
  },
})
const repo = new AccountRepo(alice, async () => ({
  did: alice,
  handle: (path, init) => safeFetch(new URL(path, 'https://pds.example'), init),
}))

for (const fault of ['reset', 'refused'] as const) {
  test(`a large blob whose upload is ${fault} while it is read is sent again, from its first byte`, async () => {
    faults = [fault, fault]
    requests = 0
    const bytes = crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(60)
    const blob = new Blob([bytes])
    const patience = { now: Date.now, pause: noPause }
    const uploading = withPatience(() => repo.uploadBlob(blob), patience)
    const digest = new Bun.CryptoHasher('sha256').update(bytes).digest()
    expect((await uploading).ref.$link).toBe(rawCid(digest))
    expect(requests).toBe(3)
  }, 30_000)
}
