import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'

const fileBytes = 999_999_488 // the lexicon's ceiling is 1 000 000 000
const growthBytesMax = 64 * 1024 * 1024
const sampleEveryMs = 25

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-memory-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

test('a file of 1 GB is received without holding it in memory', async () => {
  await using network = await startSharedDevnet({ dir: join(dir, 'devnet') })
  await using service = await startServiceProcess(
    ['serve', '--port', '0', '--data', join(dir, 'sitehost')],
    { ...devSettings(network), MAX_FILE_BYTES: '1000000000', MAX_SITE_BYTES: '1000000000' },
  )
  const alice = new AppClient(service.ready.app)
  await alice.signIn('alice.test', 'hunter2pass')
  await alice.publish('small', [{ path: 'film.mp4', body: new Blob(['warm']) }])

  const before = await service.residentBytes()
  let peak = before
  const sampler = setInterval(() => {
    void service.residentBytes().then((bytes) => {
      peak = Math.max(peak, bytes)
    })
  }, sampleEveryMs)
  const answer = await alice.fetch('/sitehost/upload-files', {
    method: 'POST',
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: streamOf(formOf(fileBytes)),
  })
  clearInterval(sampler)
  expect(answer.status).toBe(200)
  const { jobId } = (await answer.json()) as { jobId: string }
  // It reached the spool whole: the job knows its size and refuses it by that.
  expect((await alice.watch(jobId)).error).toContain('film.mp4 (1 GB)')

  const megabytes = (bytes: number) => Math.round(bytes / 1024 / 1024)
  process.stderr.write(
    `1 GB upload: resident memory ${megabytes(before)} MB before, ${megabytes(peak)} MB at most\n`,
  )
  expect(peak - before).toBeLessThan(growthBytesMax)
}, 120_000)

const boundary = 'sitehost-test'

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function* formOf(bytes: number): AsyncGenerator<Uint8Array> {
  const text = (value: string) => new TextEncoder().encode(value)
  yield text(`--${boundary}\r\ncontent-disposition: form-data; name="siteName"\r\n\r\nfilm\r\n`)
  yield text(
    `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="film.mp4"\r\n\r\n`,
  )
  const chunk = crypto.getRandomValues(new Uint8Array(65_536))
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk.subarray(0, bytes - sent)
  yield text(`\r\n--${boundary}--\r\n`)
}
