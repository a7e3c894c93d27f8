import { describe, expect, test } from 'bun:test'
import { chooseFiles } from '#web/publish/files/choose-files.ts'
import { pickedOf } from '#web/publish/files/picked-file.ts'
import type { PublishRequest } from './publish-request.ts'
import { formOf, sendForm } from './send-form.ts'

test('the site name comes first, then each file in one folder', async () => {
  expect(await partsOf({}, 'index.html', 'css/site.css')).toEqual([
    ['siteName', 'blog'],
    ['files', 'site/index.html'],
    ['files', 'site/css/site.css'],
  ])
})

test('settings are a file of their own, before the others', async () => {
  const parts = await partsOf({ settings: { cleanUrls: true } }, 'index.html')
  expect(parts.slice(1)).toEqual([
    ['files', 'site/sitehost.json'],
    ['files', 'site/index.html'],
  ])
})

test('an archive is sent as one', async () => {
  expect(await partsOf({}, 'blog.tar')).toEqual([
    ['siteName', 'blog'],
    ['archive', 'blog.tar'],
  ])
})

test('a name that a form would change is refused', async () => {
  await expect(partsOf({}, 'index.html', 'say "hi".html')).rejects.toThrow('say "hi".html')
})

test('a change of single files cannot be a form', async () => {
  await expect(partsOf({ base: 'live' }, 'index.html')).rejects.toThrow('whole folder')
})

describe('cancelling', () => {
  test('ends an upload that has not left whole', async () => {
    const { cancel, jobId, request } = await send()
    cancel()
    expect(request.isAborted).toBe(true)
    await expect(jobId).rejects.toThrow('aborted')
  })

  test('what has left whole may be a job, whose id is still learned', async () => {
    const { cancel, jobId, request } = await send()
    request.upload.onload()
    cancel()
    expect(request.isAborted).toBe(false)
    request.answer(200, { jobId: 'a1' })
    expect(await jobId).toBe('a1')
  })
})

async function partsOf(more: Partial<PublishRequest>, ...paths: string[]) {
  const { files, isSealed } = await chooseFiles(
    // A File of Bun 1.4 keeps its own name in a form whatever the path; a Blob takes the path, as in browsers.
    paths.map((path) => pickedOf(path, new Blob(['x']))),
  )
  const form = await formOf({ siteName: 'blog', files, isSealed, ...more })
  return [...form].map(([name, value]) => [name, value instanceof File ? value.name : value])
}

class FakeRequest {
  isAborted = false
  status = 0
  response: unknown = null
  readonly upload = { onload: () => {} }
  readonly isSent = Promise.withResolvers<void>()
  onabort = () => {}
  onload = () => {}
  open() {}

  send() {
    this.isSent.resolve()
  }

  abort() {
    this.isAborted = true
    this.onabort()
  }

  answer(status: number, response: unknown) {
    Object.assign(this, { status, response })
    this.onload()
  }
}

async function send() {
  const wish = new AbortController()
  const request = new FakeRequest()
  const quiet = { onRead: () => {}, onSend: () => {}, onWait: () => {}, onBegun: () => {} }
  const open = () => request as unknown as XMLHttpRequest
  const jobId = sendForm({ siteName: 'blog', files: [] }, { signal: wish.signal, ...quiet }, open)
  await request.isSent.promise
  return { cancel: () => wish.abort(), jobId, request }
}
