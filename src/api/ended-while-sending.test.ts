import { expect, test } from 'bun:test'
import { testApi } from '#tests/support/api.ts'
import { alice } from '#tests/support/database/sample-rows.ts'

const api = testApi()
const unauthorized = [401, '{"error":"Unauthorized"}', { isEnded: true }]

/** The owner ends all sign-ins once the server reads the body, which it does after it has read the session. */
async function sendWhileEnded(path: string, method: string, content: BodyInit): Promise<unknown> {
  const stolen = await api().signedIn(alice)
  const owner = await api().signedIn(alice)
  const whole = new Response(content)
  // Bun sets it with the first look, and not once the body is read.
  const contentType = whole.headers.get('content-type') ?? 'application/json'
  const bytes = new Uint8Array(await whole.arrayBuffer())
  let isEnded = false
  const body = new ReadableStream(
    {
      async pull(controller) {
        const headers = { cookie: owner }
        await api().request('/api/auth/logout-everywhere', { method: 'POST', headers })
        await api().signedIn(alice)
        isEnded = true
        controller.enqueue(bytes)
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { cookie: stolen, 'content-type': contentType }
  const response = await api().request(path, { method, headers, body })
  return [response.status, await response.text(), { isEnded }]
}

function formOf(files: readonly string[]): FormData {
  const form = new FormData()
  form.append('siteName', 'blog')
  for (const name of files) form.append('files', new Blob(['<h1>hi</h1>']), name)
  return form
}

test.each<[string, string, string, BodyInit]>([
  ['the account is not deleted', 'DELETE', '/api/user', '{}'],
  ['no name is claimed', 'POST', '/api/domain/claim', '{"handle":"stolen"}'],
  ['no settings are written', 'POST', '/api/site/blog/settings', '{}'],
  ['no job is created', 'POST', '/sitehost/upload-files', formOf(['index.html'])],
  ['no empty site is published', 'POST', '/sitehost/upload-files', formOf([])],
])(
  'after signing out everywhere, by a request that began before: %s',
  async (_, method, path, content) => {
    expect(await sendWhileEnded(path, method, content)).toEqual(unauthorized)
    expect(api().network.written).toEqual([])
    expect(await api().db.selectFrom('jobs').select('id').execute()).toEqual([])
    expect(await api().db.selectFrom('subdomains').select('did').execute()).toEqual([])
    expect(await api().db.selectFrom('browserSessions').select('did').execute()).toHaveLength(1)
    expect(await api().spooled()).toEqual([])
  },
)
