import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FolderError } from '#cli/folder/folder-error.ts'
import { noSettings, pollSettings } from './settings-file.ts'

let file: string
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'settings-'))
  file = join(dir, 'settings.json')
})
afterAll(() => rm(dir, { recursive: true }))

async function lookAt(text: string) {
  await Bun.write(file, text)
  return await pollSettings(file, noSettings)
}

test('settings are read as the route takes them', async () => {
  expect(
    await lookAt('{ "cleanUrls": true, "headers": [{ "name": "X-A", "value": "b" }] }'),
  ).toEqual({
    state: expect.any(String),
    settings: {
      $type: 'place.sitehost.settings',
      cleanUrls: true,
      headers: [{ name: 'X-A', value: 'b' }],
    },
    problems: [],
  })
})

test.each(['{ "cleanUrl": true }', '{ "toString": 1 }'])('%s has no such setting', async (text) => {
  const { problems } = await lookAt(text)
  expect(problems).toEqual([expect.stringMatching(/there is no setting "(cleanUrl|toString)"$/)])
})

describe('what cannot be used says where', () => {
  const rows: [string, RegExp][] = [
    ['{ "cleanUrls": "yes" }', /settings\.json: cleanUrls: /],
    ['{ "headers": [{ "name": "ETag", "value": "x" }] }', /settings\.json: headers\.0\.name: /],
    ['{ "spaMode": "a.html", "custom404": "b.html" }', /Only one of spaMode/],
    ['{ "cleanUrls": tr', /settings\.json is not JSON: /],
    ['', /settings\.json is not JSON: /],
    ['null', /settings\.json: body: /],
    ['[]', /settings\.json: /],
  ]
  test.each(rows)('%s', async (text, message) => {
    const { settings } = await lookAt(text)
    expect(settings).toBeInstanceOf(FolderError)
    expect((settings as FolderError).message).toMatch(message)
  })

  test('no such file', async () => {
    const { settings } = await pollSettings(join(dir, 'missing.json'), noSettings)
    expect((settings as FolderError).message).toMatch(/missing\.json cannot be read \(ENOENT\)$/)
  })
})

test('a file that has not changed is not read again', async () => {
  const first = await lookAt('{ "cleanUrls": true }')
  expect(await pollSettings(file, first)).toBe(first)
  await Bun.write(file, '{ "cleanUrls": false }')
  const second = await pollSettings(file, first)
  expect(second.settings).toMatchObject({ cleanUrls: false })
  await rm(file)
  expect((await pollSettings(file, second)).settings).toBeInstanceOf(FolderError)
})
