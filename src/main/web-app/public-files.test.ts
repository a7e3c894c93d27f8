import { describe, expect, test } from 'bun:test'
import { routes } from '#api/contract/routes.ts'
import { siteCommandNames } from '#cli/site-program.ts'
import { publicFiles, readPictures } from './public-files.ts'

const plain = {
  name: 'Sitehost',
  origin: 'https://sitehost.example',
  contact: null,
  termsUrl: null,
  privacyUrl: null,
  baseDomain: 'sites.example',
  frontPageText: [],
  logoPath: null,
  sourceUrl: null,
  statusUrl: null,
  version: '0',
}
const startedAt = Date.UTC(2030, 0, 1)

async function files(
  instance: Partial<typeof plain> | object = {},
): Promise<Map<string, string[]>> {
  const opened = { instance: { ...plain, ...instance }, logo: null }
  const texts = (await publicFiles(opened, await readPictures(), startedAt)).map(
    async ([path, { body, contentType }]) => {
      return [path, [contentType, await body.text()]] as [string, string[]]
    },
  )
  return new Map(await Promise.all(texts))
}

test('browsers and programs find what they look for', async () => {
  expect([...(await files())].map(([path, [type]]) => `${path} ${type}`)).toEqual([
    '/robots.txt text/plain; charset=utf-8',
    '/llms.txt text/markdown; charset=utf-8',
    '/site.webmanifest application/manifest+json',
    '/favicon.ico image/vnd.microsoft.icon',
    '/apple-touch-icon.png image/png',
    '/icon-512.png image/png',
    '/social-card.png image/png',
  ])
})

test('the pictures are what their names say', async () => {
  const bytesOf = async (path: string) => {
    const found = (
      await publicFiles({ instance: plain, logo: null }, await readPictures(), 0)
    ).find(([at]) => at === path)
    return Buffer.from((await found?.[1].body.bytes()) ?? [])
  }
  const sizeOf = (png: Buffer) => [
    png.toString('latin1', 1, 4),
    png.readUInt32BE(16),
    png.readUInt32BE(20),
  ]
  expect(sizeOf(await bytesOf('/social-card.png'))).toEqual(['PNG', 1200, 630])
  expect(sizeOf(await bytesOf('/apple-touch-icon.png'))).toEqual(['PNG', 180, 180])
  expect(sizeOf(await bytesOf('/icon-512.png'))).toEqual(['PNG', 512, 512])
  expect(sizeOf((await bytesOf('/favicon.ico')).subarray(22))).toEqual(['PNG', 32, 32])
})

test('security.txt says whom to tell, when that is known, for less than a year', async () => {
  expect((await files()).has('/.well-known/security.txt')).toBe(false)
  const [type, text] =
    (await files({ contact: 'mailto:ann@example.org' })).get('/.well-known/security.txt') ?? []
  expect(type).toBe('text/plain; charset=utf-8')
  expect(text).toBe(`Contact: mailto:ann@example.org
Expires: 2030-12-27T00:00:00.000Z
Canonical: https://sitehost.example/.well-known/security.txt
`)
})

test('the manifest has the name and the logo of the instance', async () => {
  const manifestOf = async (instance: object) =>
    JSON.parse((await files(instance)).get('/site.webmanifest')?.[1] ?? '')
  expect(await manifestOf({})).toMatchObject({
    name: 'Sitehost',
    icons: [{ src: '/icon-512.png' }],
  })
  expect(await manifestOf({ name: 'A "host"', logoPath: '/logo.svg' })).toMatchObject({
    ...{ name: 'A "host"', icons: [{ src: '/logo.svg' }] },
  })
})

describe('llms.txt', () => {
  const guideOf = async (instance = {}) => (await files(instance)).get('/llms.txt')?.[1] ?? ''

  test('describes each command of the command line', async () => {
    const guide = await guideOf()
    expect(guide).toContain('    sitehost deploy <folder> --site <name>\n')
    const named = [...guide.matchAll(/^- sitehost (\S+).*: \S/gm)].map(([, name]) => name)
    expect(named).toEqual([...siteCommandNames])
  })

  test('describes the routes of a deploy as the API has them, and leads to its documents', async () => {
    const guide = await guideOf()
    const named = [...guide.matchAll(/\b(GET|POST|PUT)\s(\/api\/\S+?)[.;]?\s/g)]
    const known = Object.values(routes).map(
      ({ method, path }) => `${method} ${path.replace(/:\w+/g, '*')}`,
    )
    expect(named.length).toBe(5)
    for (const [, method, path = ''] of named) {
      expect(known).toContain(`${method} ${path.replace(/<\w+>/g, '*')}`)
    }
    expect(guide).toContain('(https://sitehost.example/api/openapi.json)')
  })

  test('leads to what the operator has set', async () => {
    expect(await guideOf()).not.toContain('null')
    expect(await guideOf({ termsUrl: 'https://x.example/t' })).toEndWith(
      '- [Terms](https://x.example/t)\n',
    )
  })
})
