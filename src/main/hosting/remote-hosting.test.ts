import { expect, test } from 'bun:test'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { RemoteHosting } from './remote-hosting.ts'

async function linesOfThreeQuestions(url: string): Promise<LoggedLine[]> {
  const lines: LoggedLine[] = []
  const { signal } = new AbortController()
  const hosting = new RemoteHosting({
    findUrl: async () => url,
    token: 'secret',
    log: recordingLog(lines),
    signal,
  })
  for (let n = 0; n < 3; n++) expect(await hosting.cache()).toBeNull()
  return lines
}

test('a process that refuses is one line a minute', async () => {
  await using server = Bun.serve({ port: 0, fetch: () => new Response(null, { status: 503 }) })
  expect(await linesOfThreeQuestions(server.url.href)).toEqual([
    { level: 'warn', message: 'hosting process refused', fields: { status: 503 } },
  ])
})

test('a process that is away is one line a minute', async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Response() })
  await server.stop(true)
  expect(await linesOfThreeQuestions(server.url.href)).toMatchObject([
    { level: 'warn', message: 'hosting process not reached' },
  ])
})
