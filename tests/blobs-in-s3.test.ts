import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { startS3FaultServer } from '#tests/support/servers/s3-fault-server.ts'
import { type S3Server, startS3Server } from '#tests/support/servers/s3-server.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

const environmentAt = (endpoint: string) => ({
  BLOBS_URL: `s3://blobs?endpoint=${endpoint}`,
  AWS_ACCESS_KEY_ID: 'test',
  AWS_SECRET_ACCESS_KEY: 'a-secret-of-the-bucket',
})
const page = '<h1>from a bucket</h1>'

let s3: S3Server
let world: World
beforeAll(async () => {
  s3 = await startS3Server()
  world = await startWorld({ environment: environmentAt(s3.endpoint) })
}, 300_000)
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await s3.stop()
})

async function publish(name: string, files: Parameters<typeof textFile>[]): Promise<string> {
  const alice = await world.signedIn('alice.test')
  const result = await alice.publish(
    name,
    files.map(([path, body]) => textFile(path, body)),
  )
  expect(result).toMatchObject({ success: true })
  return String(result['url'])
}

async function visit(url: string) {
  const response = await fetch(url)
  return { status: response.status, body: await response.text(), headers: response.headers }
}

test('a site is published into the bucket and served from it, also after a start without any copy', async () => {
  const large = 'a line of a large file\n'.repeat(100_000)
  const url = await publish('bucket', [
    ['index.html', page],
    ['large.txt', large],
  ])
  expect((await visit(url)).body).toBe(page)
  expect((await visit(`${url}large.txt`)).body).toBe(large)
  const copies = join(world.dataDir, 'blob-copies')
  expect((await readdir(copies)).length).toBeGreaterThan(0)
  await expect(stat(join(world.dataDir, 'blobs'))).rejects.toThrow('ENOENT')

  await world.restart({}, () => rm(copies, { recursive: true }))
  expect((await visit(url)).body).toBe(page)
  const part = await fetch(`${url}large.txt`, { headers: { range: 'bytes=23-45' } })
  expect(part.status).toBe(206)
  expect(await part.text()).toBe(large.slice(23, 46))
}, 120_000)

test('while the bucket does not answer, copies are served, the rest is 503 at once, and a publish waits', async () => {
  await using bucket = await startS3FaultServer()
  await world.restart(environmentAt(bucket.endpoint))
  const url = await publish('away', [
    ['index.html', page],
    ['other.html', '<p>not visited yet</p>'],
  ])
  expect((await visit(url)).body).toBe(page)
  // Nothing in memory, but the copy on the disk.
  await world.restart(environmentAt(bucket.endpoint))

  bucket.always = { kind: 'hang' }
  expect(await visit(url)).toMatchObject({ status: 200, body: page })
  const missing = await visit(`${url}other.html`)
  expect(missing.status).toBe(503)
  expect(missing.headers.get('retry-after')).not.toBeNull()
  expect(missing.headers.get('cache-control')).toContain('no-store')
  expect((await visit(`${world.app}/readyz`)).body).toContain('bucket')

  const published = publish('meanwhile', [['index.html', '<p>published meanwhile</p>']])
  const asked = bucket.requests.length
  await eventually(async () => expect(bucket.requests.length).toBeGreaterThan(asked))
  bucket.always = null
  expect((await visit(await published)).body).toBe('<p>published meanwhile</p>')
  expect((await visit(`${url}other.html`)).body).toBe('<p>not visited yet</p>')
}, 180_000)
