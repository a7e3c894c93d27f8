import { beforeEach, describe, expect, test } from 'bun:test'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import { parseSettings, type SiteSettings } from '#site/record/settings.ts'
import { alice, nameOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo, noPause, refusal } from '#tests/support/servers/fake-repo.ts'
import { SiteConflictError } from './commit-on-head.ts'
import { ServerBusyError } from './server-patience.ts'
import { readSettings, writeSettings } from './site-settings.ts'

const fs = 'place.sitehost.fs'
const collection = 'place.sitehost.settings'
const blog = nameOf('blog')
const uri = `at://${alice}/${collection}/blog`

let repo: FakeRepo
beforeEach(() => {
  repo = new FakeRepo()
})

const { signal } = new AbortController()
const context = () => ({ repo: repo.asRepo, now: () => 0, pause: noPause, signal })
const read = async () => (await readSettings(blog, context())).record
const write = (settings: SiteSettings, isExpected?: (cid: string | null) => boolean) =>
  writeSettings(blog, settings, context(), isExpected)
const puts = () => repo.calls.filter((call) => /putRecord|applyWrites/.test(call)).length

function settingsOf(input: object): SiteSettings {
  const parsed = parseSettings(input)
  if (!parsed.ok) throw new TypeError(parsed.error)
  return parsed.settings
}

describe('read', () => {
  test('without a record: the defaults', async () => {
    expect(await read()).toEqual({
      indexFiles: ['index.html'],
      cleanUrls: false,
      directoryListing: false,
    })
  })

  for (const value of [
    { $type: collection },
    { $type: collection, cleanUrls: true, theirs: 1 },
    { cleanUrls: 'odd' },
  ]) {
    test(`as it is: ${JSON.stringify(value)}`, async () => {
      repo.put(collection, 'blog', value)
      expect(await read()).toEqual(value)
    })
  }

  test('after a fault of the server', async () => {
    repo.before.set('findRecord', () => {
      throw new ServerUnreachableError('com.atproto.repo.getRecord')
    })
    expect(await read()).toMatchObject({ cleanUrls: false })
  })

  test('not, and never the defaults, when the server does not say', async () => {
    repo.before.set('findRecord', () => {
      throw refusal(400, 'RepoDeactivated')
    })
    await expect(read()).rejects.toMatchObject({ code: 'RepoDeactivated' })
  })

  test('not when the server asks to wait for minutes: nobody would', async () => {
    repo.before.set('findRecord', () => {
      throw refusal(429, 'RateLimitExceeded', { 'ratelimit-reset': '60' })
    })
    await expect(read()).rejects.toBeInstanceOf(ServerBusyError)
  })
})

describe('write', () => {
  test('for a site that is not there: no', async () => {
    expect(await write(settingsOf({}))).toBeNull()
    expect(puts()).toBe(0)
  })

  test('replaces the whole record', async () => {
    repo.put(fs, 'blog', {})
    repo.put(collection, 'blog', { $type: collection, cleanUrls: true, theirs: 1 })
    expect(await write(settingsOf({ indexFiles: ['a'] }))).toEqual({
      uri,
      cid: repo.find(collection, 'blog')?.cid ?? '',
    })
    expect(await read()).toEqual({ $type: collection, indexFiles: ['a'] })
  })

  test('of what is there already: nothing', async () => {
    repo.put(fs, 'blog', {})
    const settings = settingsOf({ cleanUrls: true, headers: [{ name: 'X-A', value: 'b' }] })
    const first = await write(settings)
    expect(await write({ ...settings })).toEqual(first)
    expect(puts()).toBe(1)
    await write(settingsOf({ cleanUrls: true, headers: [{ name: 'X-A', value: 'c' }] }))
    expect(puts()).toBe(2)
  })
})

describe('write of what was read', () => {
  const settings = settingsOf({ cleanUrls: true })
  const readThenWrite = async (between: () => void) => {
    const { cid } = await readSettings(blog, context())
    between()
    return await write(settings, (now) => now === cid)
  }

  for (const before of [null, { indexFiles: ['old'] }]) {
    describe(`where there was ${JSON.stringify(before)}`, () => {
      beforeEach(() => {
        repo.put(fs, 'blog', {})
        if (before !== null) repo.put(collection, 'blog', before)
      })

      test('and still is: written', async () => {
        expect(await readThenWrite(() => {})).toMatchObject({ cid: expect.any(String) })
        expect(await read()).toEqual({ ...settings })
      })

      test('and another program has written since: theirs stay', async () => {
        const theirs = { indexFiles: ['theirs'] }
        const writing = readThenWrite(() => repo.put(collection, 'blog', theirs))
        await expect(writing).rejects.toBeInstanceOf(SiteConflictError)
        expect(await read()).toEqual(theirs)
      })

      test('and another program has written the same since: nothing to do', async () => {
        const writing = readThenWrite(() => repo.put(collection, 'blog', { ...settings }))
        expect(await writing).toMatchObject({ cid: expect.any(String) })
        expect(puts()).toBe(0)
      })
    })
  }
})

describe('write while another program writes', () => {
  const settings = settingsOf({ cleanUrls: true })
  const interfere = (change: () => void) => {
    for (const method of ['applyWrites', 'putRecord']) repo.before.set(method, change)
  }
  beforeEach(() => {
    repo.put(fs, 'blog', {})
    repo.put(collection, 'blog', { $type: collection, indexFiles: ['old'] })
  })

  for (const writesMax of [200, 0]) {
    describe(`to a server that takes ${writesMax} writes in one commit`, () => {
      beforeEach(() => {
        repo.writesMax = writesMax
      })

      test('these settings: theirs stay, and the owner gets a conflict', async () => {
        const theirs = { $type: collection, indexFiles: ['theirs'] }
        interfere(() => repo.put(collection, 'blog', theirs))
        await expect(write(settings)).rejects.toBeInstanceOf(SiteConflictError)
        expect(await read()).toEqual(theirs)
      })

      test('the first settings of a site that had none: theirs stay', async () => {
        repo.remove(collection, 'blog')
        interfere(() => repo.put(collection, 'blog', { cleanUrls: false }))
        await expect(write(settings)).rejects.toBeInstanceOf(SiteConflictError)
        expect(await read()).toEqual({ cleanUrls: false })
      })

      test('the same settings: both succeed', async () => {
        interfere(() => repo.put(collection, 'blog', settings))
        expect(await write(settings)).toMatchObject({ cid: expect.any(String) })
      })

      test('something else: written all the same', async () => {
        interfere(() => repo.put('app.bsky.feed.post', 'hello', {}))
        expect(await write(settings)).toMatchObject({ cid: expect.any(String) })
        expect(await read()).toEqual({ ...settings })
      })

      test('whose answer is lost: written once', async () => {
        const method = writesMax === 0 ? 'putRecord' : 'applyWrites'
        const honest = repo[method].bind(repo) as (...args: unknown[]) => Promise<unknown>
        repo[method] = async (...args: unknown[]) => {
          delete (repo as Partial<FakeRepo>)[method]
          await honest(...args)
          throw new ServerUnreachableError(method)
        }
        expect(await write(settings)).toMatchObject({ cid: expect.any(String) })
        expect(await read()).toEqual({ ...settings })
      })
    })
  }

  test('all the time, other things: written alone, which only a change of these settings disturbs', async () => {
    const { applyWrites } = repo
    repo.applyWrites = async (writes, head) => {
      repo.put('app.bsky.feed.post', 'again', {})
      return await applyWrites.call(repo, writes, head)
    }
    expect(await write(settings)).toMatchObject({ cid: expect.any(String) })
  })

  test('the deletion of the site: no settings without a site', async () => {
    repo.before.set('applyWrites', () => {
      repo.remove(fs, 'blog')
      repo.remove(collection, 'blog')
    })
    expect(await write(settings)).toBeNull()
    expect(repo.find(collection, 'blog')).toBeNull()
  })
})
