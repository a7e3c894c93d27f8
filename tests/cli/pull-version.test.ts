import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { alice, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { createdAt, directory, fileIn, manifest } from '#tests/support/hostile/hostile-rows.ts'
import { expectRefusal, type PullPlace, startPullPlace } from '#tests/support/hostile/pull-place.ts'

// `pull --at`: the names of versions that `rollback` takes, too, of an account that nobody is signed in as.

const collection = 'place.sitehost.version'
const ids = [1, 2, 3, 4].map((n) => versionKeyOf(n))
const [first = '', live = '', draft = '', newerDraft = ''] = ids

let place: PullPlace
/** As the account server lists them. */
const listed: { uri: string; cid: string; value: object }[] = []
beforeAll(async () => {
  place = await startPullPlace()
  const site = async (text: string) => [
    { name: 'index.html', node: await fileIn(place.repo, text) },
  ]
  const cidOf = async (text: string) =>
    await place.pds.putRecord('place.sitehost.fs/blog', manifest('blog', await site(text)))
  const facts: Readonly<Record<string, object>> = {
    [first]: { manifest: await cidOf(first) },
    [live]: { manifest: await cidOf(live) },
    [draft]: { alias: 'draft' },
    [newerDraft]: { alias: 'draft' },
  }
  for (const id of ids) {
    const root = directory(await site(id))
    const value = { $type: collection, site: 'blog', root, createdAt, ...facts[id] }
    const cid = await place.pds.putRecord(`${collection}/${id}`, value)
    listed.push({ uri: `at://${alice}/${collection}/${id}`, cid, value })
  }
  place.pds.lies.records = () => Response.json({ records: listed })
})
afterEach(() => {
  place.pds.lies.records = () => Response.json({ records: listed })
})
afterAll(() => place[Symbol.asyncDispose]())

test.each([
  ['previous', first],
  ['draft', newerDraft],
  [draft, draft],
])('%s', async (at, id) => {
  const folder = join(place.dir, `at-${at}`)
  const end = await place.run(['pull', `${alice}/blog`, folder, '--at', at])
  expect(end).toMatchObject({ code: 0 })
  expect(await Bun.file(join(folder, 'index.html')).text()).toBe(id)
})

test('what no version is called', async () => {
  const none = await place.pull('blog', undefined, ['--at', 'pr-12'])
  expectRefusal(none)
  expect(none.complaints).toContain('There is no version pr-12.')
  const bad = await place.pull('blog', undefined, ['--at', 'No'])
  expect(bad).toMatchObject({ code: 2, names: [] })
})

test('a server that lists a version under an alias which it does not have is not believed', async () => {
  const records = listed.map((each) => ({ ...each, value: { ...each.value, alias: 'pr-12' } }))
  place.pds.lies.records = () => Response.json({ records })
  const end = await place.pull('blog', undefined, ['--at', 'pr-12'])
  expectRefusal(end)
  expect(end.complaints).toContain('which its owner has not signed')
})
