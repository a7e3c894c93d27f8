import { afterEach, beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { chooseFiles } from '#web/publish/files/choose-files.ts'
import { pickedOf } from '#web/publish/files/picked-file.ts'
import { ApiError } from '#web/server/api.ts'
import type { PublishRequest } from './publish-request.ts'
import { BaseChangedError, NoDeploysError, sendDeploy } from './send-deploy.ts'
import type { sendFile } from './send-file.ts'

let service: FakeService
let spy: { mockRestore: () => void }
beforeEach(() => {
  service = new FakeService()
  spy = spyOn(globalThis, 'fetch').mockImplementation(service.fetch as typeof fetch)
})
afterEach(() => spy.mockRestore())

test('sends each content that is missing once, then commits', async () => {
  service.held.add(sha256('b'))
  expect(await send({ 'index.html': 'a', 'same.html': 'a', 'old.html': 'b' })).toBe('d1')
  expect(service.puts).toEqual([sha256('a')])
  expect(service.begun).toMatchObject({
    files: [
      { path: 'index.html', sha256: sha256('a'), size: 1 },
      { path: 'same.html', sha256: sha256('a'), size: 1 },
      { path: 'old.html', sha256: sha256('b'), size: 1 },
    ],
  })
  expect(Object.keys(service.begun ?? {})).toEqual(['files'])
})

test('compresses texts where that pays', async () => {
  const text = 'hello '.repeat(1000)
  await send({ 'index.html': text, 'picture.png': `p${text}`, 'short.html': 'hi' })
  expect(service.gzipped).toEqual([sha256(text)])
})

test('goes on with the deploy of an earlier page, and sends what it lacks', async () => {
  service.open(sha256('a'))
  expect(await send({ 'index.html': 'a', 'b.html': 'b' }, { deployId: 'd1' })).toBe('d1')
  expect(service.begun).toBeNull()
  expect(service.puts).toEqual([sha256('a')])
})

test('begins anew where that deploy is gone, and follows its job where it is committed', async () => {
  await send({ 'index.html': 'a' }, { deployId: 'd1' })
  expect(service.begun).not.toBeNull()
  service.puts.length = 0
  expect(await send({ 'index.html': 'a' }, { deployId: 'd1' })).toBe('d1')
  expect(service.puts).toEqual([])
})

test('sends again what had to give way', async () => {
  service.losesFirst = true
  expect(await send({ 'index.html': 'a' })).toBe('d1')
  expect(service.puts).toEqual([sha256('a'), sha256('a')])
})

test('a site that changed meanwhile is a conflict', async () => {
  service.isChanged = true
  await expect(send({ 'index.html': 'a' }, { base: 'live' })).rejects.toBeInstanceOf(
    BaseChangedError,
  )
})

test('a service without deploys says so by its status', async () => {
  service.hasDeploys = false
  await expect(send({ 'index.html': 'a' })).rejects.toBeInstanceOf(NoDeploysError)
})

test('a refusal is thrown as it is', async () => {
  service.refusal = '"index.html" is larger than 100 MB.'
  await expect(send({ 'index.html': 'a' })).rejects.toThrow(service.refusal)
})

describe('cancelling', () => {
  test('while files are sent drops the deploy', async () => {
    const abort = new AbortController()
    service.onPut = () => abort.abort(new Error('cancelled'))
    await expect(send({ 'index.html': 'a' }, {}, abort.signal)).rejects.toThrow('cancelled')
    expect(service.state).toBe('none')
  })

  test('too late answers with the job, which can be cancelled', async () => {
    const abort = new AbortController()
    service.onCommit = () => abort.abort(new Error('cancelled'))
    expect(await send({ 'index.html': 'a' }, {}, abort.signal)).toBe('d1')
  })
})

async function send(
  contents: Record<string, string>,
  more: Partial<PublishRequest> = {},
  signal = new AbortController().signal,
) {
  const picked = Object.entries(contents).map(([path, text]) => pickedOf(path, new Blob([text])))
  const { files } = await chooseFiles(picked)
  const quiet = { onRead: () => {}, onSend: () => {}, onWait: () => {}, onBegun: () => {} }
  return await sendDeploy({ siteName: 'blog', files, ...more }, { signal, ...quiet }, service.put)
}

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

/** One deploy, `d1`. */
class FakeService {
  readonly held = new Set<string>()
  readonly puts: string[] = []
  readonly gzipped: string[] = []
  state: 'none' | 'open' | 'committed' = 'none'
  begun: { files: { sha256: string }[] } | null = null
  missing: string[] = []
  hasDeploys = true
  losesFirst = false
  isChanged = false
  refusal: string | null = null
  onPut = () => {}
  onCommit = () => {}

  open(...missing: string[]) {
    this.state = 'open'
    this.missing = missing
  }

  readonly put: typeof sendFile = async ({ path, body, isGzipped, signal }) => {
    this.onPut()
    signal.throwIfAborted()
    const sha = path.split('/').at(-1) ?? ''
    const bytes = await body.bytes()
    expect(sha256(Buffer.from(isGzipped ? Bun.gunzipSync(bytes) : bytes).toString())).toBe(sha)
    this.puts.push(sha)
    if (isGzipped) this.gzipped.push(sha)
    if (this.losesFirst && this.puts.length === 1) return
    this.missing = this.missing.filter((each) => each !== sha)
  }

  readonly fetch = async (path: string, { method = 'GET', body }: RequestInit = {}) => {
    const [status, answer] = this.#answer(`${method} ${path}`, body)
    return Response.json(answer, { status })
  }

  #answer(call: string, body: unknown): [number, unknown] {
    const { missing, refusal, state } = this
    const deploy = {
      deployId: 'd1',
      rkey: 'blog',
      missing,
      jobId: state === 'committed' ? 'd1' : null,
    }
    switch (call) {
      case 'POST /api/site/blog/deploys': {
        if (!this.hasDeploys) return [404, { error: 'Not found' }]
        if (refusal !== null) return [413, { error: refusal }]
        this.begun = JSON.parse(String(body))
        const hashes = new Set(this.begun?.files.map((file) => file.sha256))
        this.open(...[...hashes].filter((hash) => !this.held.has(hash)))
        return [200, { deployId: 'd1', missing: this.missing, expiresAt: '' }]
      }
      case 'GET /api/deploys/d1':
        return state === 'none' ? [404, { error: 'Deploy not found' }] : [200, deploy]
      case 'POST /api/deploys/d1/commit':
        if (missing.length > 0) return [409, { error: 'Some files have not arrived.', missing }]
        if (this.isChanged) return [409, { error: 'This site has changed.' }]
        this.state = 'committed'
        this.onCommit()
        return [200, { success: true, jobId: 'd1' }]
      case 'DELETE /api/deploys/d1':
        if (state === 'committed') return [409, { error: 'This deploy is committed already.' }]
        this.state = 'none'
        return [200, { success: true }]
      default:
        throw new ApiError(null, `unexpected ${call}`)
    }
  }
}
