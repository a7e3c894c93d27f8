import { describe, expect, test } from 'bun:test'
import { sentences } from '#api/contract/messages.ts'
import { SpoolFullError } from '#publish/upload/spool.ts'
import { smallUploadBytesMax } from '#publish/upload/spool-shares.ts'
import { UploadTooSlowError } from '#publish/upload/upload-arrival.ts'
import { overAccountBytes } from '#site/limits.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { startNextJob } from '#store/queues/job-steps.ts'
import { createJob, findJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { mebibyte, testApi } from '#tests/support/api.ts'
import {
  alice,
  bob,
  nameOf,
  newJob,
  newVersion,
  removedSites,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { rawRequest } from '#tests/support/visitors/raw-http.ts'

const api = testApi()
const path = '/sitehost/upload-files'
const publishing = 'This site is being published already. Wait until that has finished.'

type Part = [name: string, value: string | Blob, filename?: string]
const page: Part = ['files', new Blob(['<h1>hi</h1>']), 'index.html']

function formOf(parts: readonly Part[]): FormData {
  const form = new FormData()
  for (const [name, value, filename] of parts) {
    if (value instanceof Blob) form.append(name, value, filename)
    else form.append(name, value)
  }
  return form
}

async function upload(body: BodyInit | null, did = alice): Promise<[number, unknown]> {
  const headers = { cookie: await api().signedIn(did) }
  const response = await api().request(path, { method: 'POST', body, headers })
  return [response.status, await response.json()]
}

const withFile = (siteName: string) => formOf([['siteName', siteName], page])
const withoutFiles = (siteName: string) => formOf([['siteName', siteName]])

const queueJobs = async (names: readonly string[], did = alice) => {
  for (const name of names) {
    const job = newJob({ did, site: nameOf(name) })
    expect(await createJob(api().db, job, { queuedMax: 5, now: 1 })).toEqual({ created: true })
  }
}

describe('an upload that is taken', () => {
  test('becomes a job whose files wait in the spool', async () => {
    const [status, body] = await upload(formOf([['siteName', 'blog'], page]))
    const { jobId } = body as { jobId: string }
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        jobId,
        message: `Upload started. Connect to /sitehost/upload-progress/${jobId} to follow it.`,
      },
    ])
    expect(await findJob(api().db, jobId)).toMatchObject({
      did: alice,
      site: 'blog',
      status: 'pending',
    })
    expect(await api().spooled()).toEqual([jobId])
  })

  test('but becomes none once its sender has gone, who could not cancel it', async () => {
    const headers = { cookie: await api().signedIn(alice) }
    const gone = { body: withFile('blog'), headers, signal: AbortSignal.abort() }
    expect((await api().request(path, { method: 'POST', ...gone })).status).toBe(400)
    expect(await api().spooled()).toEqual([])
  })

  test('without files: an empty site, at once', async () => {
    expect(await upload(formOf([['siteName', 'blog']]))).toEqual([
      200,
      {
        success: true,
        uri: `at://${alice}/place.sitehost.fs/blog`,
        cid: 'cid-of-the-record',
        fileCount: 0,
        siteName: 'blog',
      },
    ])
    expect(api().network.written).toMatchObject([
      { rkey: 'blog', record: { $type: 'place.sitehost.fs', fileCount: 0 } },
      { record: { $type: 'place.sitehost.version', site: 'blog', bytes: 0 } },
    ])
    expect(await workRows(api().db, 'site')).toHaveLength(1)
    expect(await api().spooled()).toEqual([])
  })
})

describe('refused, and nothing kept', () => {
  const tooLarge: Part = ['files', new Blob([new Uint8Array(mebibyte + 1)]), 'big.bin']
  const mib = (name: string): Part => ['files', new Blob([new Uint8Array(mebibyte)]), name]
  const facts: [string, () => BodyInit | null, number, RegExp][] = [
    ['no body', () => null, 400, /^body: expected multipart\/form-data$/],
    ['JSON', () => '{"siteName":"blog"}', 400, /^Not a complete form/],
    ['no name', () => formOf([page]), 400, /^siteName must come before the files\.$/],
    ['a bad name', () => formOf([['siteName', 'a/b'], page]), 400, /^siteName must be/],
    ['the name last', () => formOf([page, ['siteName', 'blog']]), 400, /before the files/],
    [
      'a bad path',
      () =>
        formOf([
          ['siteName', 'blog'],
          ['files', new Blob(['x']), '../x'],
        ]),
      400,
      /"\.\.\/x"/,
    ],
    ['a file twice', () => formOf([['siteName', 'blog'], page, page]), 400, /there twice/],
    [
      'a file too large',
      () => formOf([['siteName', 'blog'], tooLarge]),
      413,
      /"big\.bin" is larger than 1 MiB/,
    ],
    [
      'a site too large',
      () => formOf([['siteName', 'blog'], mib('a'), mib('b'), page]),
      413,
      /larger than 2 MiB/,
    ],
    [
      'only what is left out',
      () =>
        formOf([
          ['siteName', 'blog'],
          ['files', new Blob(['x']), '.git/x'],
        ]),
      400,
      /left out/,
    ],
  ]
  for (const [what, bodyOf, expected, message] of facts) {
    test(what, async () => {
      const [status, body] = await upload(bodyOf())
      expect(status).toBe(expected)
      expect(Object.keys(body as object)).toEqual(['error'])
      expect((body as { error: string }).error).toMatch(message)
      expect(await api().spooled()).toEqual([])
      expect(await api().db.selectFrom('jobs').selectAll().execute()).toEqual([])
      expect(api().network.written).toEqual([])
    })
  }
})

describe('while others wait', () => {
  test('the same site, waiting or running: 409, with files or without', async () => {
    await queueJobs(['blog'])
    const refused: [number, unknown] = [409, { error: publishing }]
    for (const body of [withFile('blog'), formOf([['siteName', 'blog']])]) {
      expect(await upload(body)).toEqual(refused)
    }
    await startNextJob(api().db, alice, 2)
    for (const body of [withFile('blog'), formOf([['siteName', 'blog']])]) {
      expect(await upload(body)).toEqual(refused)
    }
    expect(api().network.written).toEqual([])
    expect(await api().spooled()).toEqual([])
  })

  test('it is refused before the files are read', async () => {
    await queueJobs(['blog'])
    let sentBytes = 0
    const head =
      '--b\r\ncontent-disposition: form-data; name="siteName"\r\n\r\nblog\r\n' +
      '--b\r\ncontent-disposition: form-data; name="files"; filename="a.bin"\r\n\r\n'
    const endless = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(head)),
      pull(controller) {
        sentBytes += 65_536
        controller.enqueue(new Uint8Array(65_536))
      },
    })
    const headers = {
      cookie: await api().signedIn(alice),
      'content-type': 'multipart/form-data; boundary=b',
    }
    const { status } = await api().request(path, { method: 'POST', body: endless, headers })
    expect(status).toBe(409)
    expect(sentBytes).toBeLessThan(mebibyte)
  })

  test('another site queues, up to five behind the running one; the next is 429', async () => {
    await queueJobs(['a', 'b', 'c', 'd', 'e'])
    expect((await upload(withFile('f')))[0]).toBe(200)
    const headers = { cookie: await api().signedIn(alice) }
    const response = await api().request(path, { method: 'POST', body: withFile('g'), headers })
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toBe('60')
    expect((await upload(withFile('blog'), bob))[0]).toBe(200)
  })

  test('of several at once for one site one is taken', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => upload(withFile('blog'))))
    expect(answers.map(([status]) => status).sort()).toEqual([200, 409, 409, 409])
    expect(await api().spooled()).toHaveLength(1)
  })
})

test('whether its account has sites is asked before a large upload only', async () => {
  await api().db.insertInto('sites').values(removedSites(1)).execute() // of alice
  const { spool } = api()
  const claims: unknown[] = []
  spool.admit = async (_, __, { isSmall, isNewcomer }) => {
    claims.push({ isSmall, isNewcomer })
    throw new SpoolFullError('busy')
  }
  for (const did of [alice, bob]) {
    for (const bytes of [smallUploadBytesMax, smallUploadBytesMax + 1]) {
      const headers = { cookie: await api().signedIn(did), 'content-length': String(bytes) }
      const sent = { method: 'POST', body: withFile('blog'), headers }
      expect((await api().request(path, sent)).status).toBe(429)
    }
  }
  expect(claims).toEqual([
    { isSmall: true, isNewcomer: false },
    { isSmall: false, isNewcomer: false },
    { isSmall: true, isNewcomer: false },
    { isSmall: false, isNewcomer: true },
  ])
})

describe('an upload that is ended while it arrives', () => {
  const head =
    '--b\r\ncontent-disposition: form-data; name="siteName"\r\n\r\nblog\r\n' +
    '--b\r\ncontent-disposition: form-data; name="files"; filename="a.bin"\r\n\r\n'
  const answerTo = async (ending: Error) => {
    const { spool } = api()
    const admit = spool.admit.bind(spool)
    spool.admit = async (...of) => ({
      ...(await admit(...of)),
      arrived: () => Promise.reject(ending),
    })
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(Buffer.from(head)) })
    const headers = {
      cookie: await api().signedIn(alice),
      'content-type': 'multipart/form-data; boundary=b',
    }
    const response = await api().request(path, { method: 'POST', body: endless, headers })
    expect(await api().spooled()).toEqual([])
    const { error } = (await response.json()) as { error: string }
    return [response.status, response.headers.get('retry-after'), error]
  }

  test.each([
    [new UploadTooSlowError('below-minimum'), 408, null, sentences.uploadTooSlow],
    [new UploadTooSlowError('too-long'), 408, null, sentences.uploadTooLong],
    [new UploadTooSlowError('gave-way'), 429, '60', sentences.uploadGaveWay],
    [new SpoolFullError('busy'), 429, '30', sentences.uploadsBusy],
    [new SpoolFullError('disk'), 507, null, sentences.noRoom],
  ])('%s', async (ending, status, retryAfter, sentence) => {
    expect(await answerTo(ending)).toEqual([status, retryAfter, sentence])
  })
})

test('where the accounts of its server have their share of the space, an upload is refused', async () => {
  await upsertAccount(api().db, { did: alice, pds: 'https://eel.example.net' }, 1)
  const { spool } = api()
  const servers: unknown[] = []
  spool.receive = async (_, __, { server }) => {
    servers.push(server)
    throw new SpoolFullError('busy')
  }
  expect(await upload(withFile('blog'))).toEqual([429, { error: sentences.uploadsBusy }])
  expect(servers).toEqual(['*.example.net'])
  expect(await api().spooled()).toEqual([])
})

describe('of an account that has as many sites as it may', () => {
  const error =
    'An account can have 1000 sites here. Delete one; a day after that there is room for another.'
  const refused: [number, unknown] = [403, { error }]
  const fill = (count: number) => api().db.insertInto('sites').values(removedSites(count)).execute()

  test('a new one is refused, with files or without, and nothing is written', async () => {
    await fill(1000)
    for (const body of [withFile('blog'), withoutFiles('blog')]) {
      expect(await upload(body)).toEqual(refused)
    }
    expect(api().network.written).toEqual([])
    expect(await api().spooled()).toEqual([])
  })

  test('one of those that it has is taken, and so is a new one of somebody else', async () => {
    await fill(1000)
    expect((await upload(withoutFiles('removed-7')))[0]).toBe(200)
    expect((await upload(withFile('removed-7')))[0]).toBe(200)
    expect((await upload(withFile('blog'), bob))[0]).toBe(200)
  })

  test('the last one is taken; while that is on its way, a next one is refused', async () => {
    await fill(999)
    await queueJobs(['removed-7'])
    expect((await upload(withFile('last')))[0]).toBe(200)
    expect(await upload(withFile('next'))).toEqual(refused)
  })
})

test('with more than the account’s sites may take together: 413, and nothing kept', async () => {
  await upsertAccount(api().db, { did: alice }, 1)
  await recordVersion(api().db, newVersion({ site: siteOf('other'), bytes: 5 * mebibyte - 10 }), 0)
  const body = (bytes: number) =>
    formOf([
      ['siteName', 'blog'],
      ['files', new Blob([new Uint8Array(bytes)]), 'a.bin'],
    ])
  expect(await upload(body(11))).toEqual([413, { error: overAccountBytes(5 * mebibyte) }])
  expect(await api().spooled()).toEqual([])
  expect((await upload(body(10)))[0]).toBe(200)
})

test('an empty site of an account whose sign-in has ended elsewhere: 401', async () => {
  const headers = { cookie: await api().signedIn(alice) }
  api().network.sessions.delete(alice)
  const body = formOf([['siteName', 'blog']])
  const response = await api().request(path, { method: 'POST', body, headers })
  expect([response.status, await response.json()]).toEqual([401, { error: 'Unauthorized' }])
})

test('the account’s server has a fault: 502', async () => {
  api().network.isDown = true
  expect((await upload(formOf([['siteName', 'blog']])))[0]).toBe(502)
})

describe('the log says which upload became what, also without a job', () => {
  const events = () =>
    api()
      .logged.filter(({ fields }) => String(fields['event']).startsWith('publish_'))
      .map(({ fields }) => fields)
  const oneFailed = (facts: Record<string, unknown>) => {
    expect(events()).toEqual([{ event: 'publish_failed', did: alice, ...facts }])
  }

  test('refused before its site is known', async () => {
    await upload(formOf([page]))
    oneFailed({ reason: 'siteName must come before the files.' })
  })

  test('refused for its site, as its owner reads it', async () => {
    await queueJobs(['blog'])
    await upload(withFile('blog'))
    oneFailed({ site: 'blog', reason: publishing })
  })

  test('where the disk is full', async () => {
    api().spool.admit = () => Promise.reject(new SpoolFullError('disk'))
    expect((await upload(withFile('blog')))[0]).toBe(507)
    oneFailed({ reason: sentences.noRoom, error: expect.any(SpoolFullError) })
  })

  test('an empty site: its start and its end, or its failure', async () => {
    const facts = { did: alice, site: 'blog', files: 0, bytes: 0 }
    await upload(withoutFiles('blog'))
    const started = { event: 'publish_started', ...facts }
    const ended = { event: 'publish_ended', ...facts, version: 'cid-of-the-record' }
    expect(events()).toEqual([started, { ...ended, seconds: expect.any(Number) }])
    api().network.isDown = true
    await upload(withoutFiles('blog'))
    expect(events().slice(2)).toMatchObject([
      started,
      { event: 'publish_failed', did: alice, site: 'blog', reason: expect.any(String) },
    ])
  })
})

describe('refused while it is still being sent', () => {
  // Senders that write all before they read, as browsers do, must find the answer and not a reset.
  const facts: [string, () => Promise<Record<string, string>>, number, number?][] = [
    ['signed out', async () => ({}), 401],
    ['from another origin', async () => ({ origin: 'https://evil.test' }), 403],
    ['not a form', async () => ({ cookie: await api().signedIn(alice) }), 400, 15],
    ['larger than any site', async () => ({ cookie: await api().signedIn(alice) }), 413],
  ]
  for (const [what, headersOf, status, megabytes = 50] of facts) {
    test(`${what}: ${status} arrives after ${megabytes} MB`, async () => {
      const server = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        fetch: (request) => api().app.fetch(request, {}),
      })
      const lines = Object.entries({
        host: `127.0.0.1:${server.port}`,
        'content-type': 'text/plain',
        'content-length': String(megabytes * mebibyte),
        ...(await headersOf()),
      }).map(([name, value]) => `${name}: ${value}\r\n`)
      const head = `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
      const chunks = Array<Uint8Array>(megabytes).fill(new Uint8Array(mebibyte))
      const response = await rawRequest(server.port ?? 0, head, ...chunks)
      await server.stop(true)
      expect(response.status).toBe(status)
      expect(Object.keys(JSON.parse(response.body.toString()))).toEqual(['error'])
    })
  }
})
