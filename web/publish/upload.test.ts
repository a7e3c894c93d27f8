import { describe, expect, test } from 'bun:test'
import { uploadFiles, uploadForm } from './upload.ts'

test('the site name comes first, then each file under its path', () => {
  const files = ['blog/index.html', 'blog/css/site.css'].map((path) => ({
    path,
    // A File of Bun 1.4 keeps its own name in a form whatever the path; a Blob takes the path, as in browsers.
    file: new Blob(['x']) as File,
  }))
  const parts = [...uploadForm('blog', files)].map(([name, value]) => [
    name,
    value instanceof File ? value.name : value,
  ])
  expect(parts).toEqual([
    ['siteName', 'blog'],
    ['files', 'blog/index.html'],
    ['files', 'blog/css/site.css'],
  ])
})

test('an archive is sent as one', () => {
  const form = uploadForm('blog', [{ path: 'blog.zip', file: new Blob(['x']) as File }])
  expect([...form.keys()]).toEqual(['siteName', 'archive'])
  expect((form.get('archive') as File).name).toBe('blog.zip')
})

const orders: [string, string[], string[]][] = [
  [
    'in the picked folder',
    ['a/z', 'a/b/.sitehostignore', 'a/.sitehostignore'],
    ['a/.sitehostignore', 'a/z', 'a/b/.sitehostignore'],
  ],
  [
    'beside loose files',
    ['z', 'b/.sitehostignore', '.sitehostignore'],
    ['.sitehostignore', 'z', 'b/.sitehostignore'],
  ],
  [
    'but not those of one folder among others',
    ['z', 'b/.sitehostignore'],
    ['z', 'b/.sitehostignore'],
  ],
]
test.each(orders)('rules of what is left out come first: %s', (_, sent, expected) => {
  const files = sent.map((path) => ({ path, file: new Blob(['x']) as File }))
  const parts = uploadForm('blog', files).getAll('files')
  expect(parts.map((file) => (file as File).name)).toEqual(expected)
})

describe('cancelling', () => {
  test('ends an upload that has not left whole', async () => {
    const { cancel, jobId, request } = send()
    cancel()
    expect(request.isAborted).toBe(true)
    await expect(jobId).rejects.toThrow('aborted')
  })

  test('what has left whole may be a job, whose id is still learned', async () => {
    const { cancel, jobId, request } = send()
    request.upload.onload()
    cancel()
    expect(request.isAborted).toBe(false)
    request.answer(200, { jobId: 'a1' })
    expect(await jobId).toBe('a1')
  })
})

class FakeRequest {
  isAborted = false
  status = 0
  response: unknown = null
  readonly upload = { onload: () => {} }
  onabort = () => {}
  onload = () => {}
  open() {}
  send() {}

  abort() {
    this.isAborted = true
    this.onabort()
  }

  answer(status: number, response: unknown) {
    Object.assign(this, { status, response })
    this.onload()
  }
}

function send() {
  const wish = new AbortController()
  const request = new FakeRequest()
  const jobId = uploadFiles({
    ...{ siteName: 'blog', files: [], onProgress: () => {}, signal: wish.signal },
    request: request as unknown as XMLHttpRequest,
  })
  return { cancel: () => wish.abort(), jobId, request }
}
