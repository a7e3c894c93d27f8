import { afterEach, beforeEach, describe, expect, mock, spyOn, test } from 'bun:test'
import { IDBFactory, IDBObjectStore } from 'fake-indexeddb'
import { type DropStore, inDatabase } from './drop-store.ts'
import { KeptDrops } from './kept-drop.ts'
import { pickedOf } from './picked-file.ts'

const hourMs = 60 * 60_000
const facts = { siteName: 'blog', deployId: null }
const picked = ['a/index.html', 'a/x "y".css', 'a/empty'].map((path, at) =>
  pickedOf(path, new Blob([at === 2 ? '' : `${at} ${path}`])),
)

describe.each(['the database', 'the database of a private window of Safari'])(
  'what was dropped, in %s,',
  (where) => {
    let store: DropStore
    let drops: KeptDrops
    let at = 0

    beforeEach(() => {
      if (where.includes('Safari')) refuse('DataCloneError', (value) => value instanceof Blob)
      at = 0
      store = databaseOf()
      drops = new KeptDrops({ store, now: () => at })
    })
    afterEach(() => mock.restore())
    const expectEmpty = async () => {
      expect(await drops.read()).toBeNull()
      expect(await store.read()).toBeNull()
    }

    test('is there for another page, file by file', async () => {
      expect(await drops.keep(picked, facts)).toBe('kept')
      const kept = await new KeptDrops({ store, now: () => at }).read()
      expect(kept).toMatchObject(facts)
      const texts = kept?.picked.map(async ({ path, open }) => [path, await (await open()).text()])
      expect(await Promise.all(texts ?? [])).toEqual([
        ['a/index.html', '0 a/index.html'],
        ['a/x "y".css', '1 a/x "y".css'],
        ['a/empty', ''],
      ])
    })

    test('takes the place of what was dropped before', async () => {
      void drops.keep(picked, facts)
      await drops.keep([pickedOf('b', new Blob(['b']))], facts)
      expect((await drops.read())?.picked.map(({ path }) => path)).toEqual(['b'])
    })

    test('is noted with what is known of it later', async () => {
      await drops.note({ deployId: 'd1' })
      expect(await drops.read()).toBeNull()
      await drops.keep(picked, facts)
      await drops.note({ deployId: 'd1' })
      expect(await drops.read()).toMatchObject({ siteName: 'blog', deployId: 'd1' })
    })

    test('is gone when it is cleared', async () => {
      await drops.keep(picked, facts)
      await drops.clear()
      await expectEmpty()
    })

    test('is gone after a day', async () => {
      await drops.keep(picked, facts)
      at = 24 * hourMs
      expect(await drops.read()).not.toBeNull()
      at += 1
      await expectEmpty()
    })

    test('is given up when its index is not ours, or its files are not those of its index', async () => {
      const foreign = [
        { index: { format: 2 }, content: new Blob(['later']) },
        { index: { format: 1, keptAt: 'x', files: [] }, content: new Blob() },
        { index: { format: 1, keptAt: 0, files: [['a', 2]] }, content: new Blob(['a']) },
      ]
      for (const stored of foreign) {
        await store.write(stored)
        await expectEmpty()
      }
    })

    test('is not brought back by a note that comes after it was cleared', async () => {
      await drops.keep(picked, facts)
      await store.clear()
      await drops.note({ deployId: 'd1' })
      await expectEmpty()
    })
  },
)

describe('nothing is kept', () => {
  afterEach(() => mock.restore())

  test('of too many bytes', async () => {
    const huge = { ...pickedOf('a', new Blob()), bytes: 1_000_000_001 }
    expect(await new KeptDrops({ store: databaseOf() }).keep([huge], facts)).toBe('too-large')
  })

  test('where the browser has no room, before it is written', async () => {
    const storage = { estimate: async () => ({ quota: 3, usage: 0 }) }
    expect(await new KeptDrops({ store: databaseOf(), storage }).keep(picked, facts)).toBe(
      'no-room',
    )
  })

  test('where the browser has no room, while it is written', async () => {
    refuse('QuotaExceededError', () => true)
    expect(await new KeptDrops({ store: databaseOf() }).keep(picked, facts)).toBe('no-room')
  })

  test('of what would be copied into memory where the database takes no blobs', async () => {
    refuse('UnknownError', (value) => value instanceof Blob)
    const large = pickedOf('a', new Blob([new Uint8Array(100_000_001)]))
    const store = databaseOf()
    expect(await new KeptDrops({ store }).keep([large], facts)).toBe('no-room')
    expect(await store.read()).toBeNull()
  })

  test('where the browser has no database, however large it is', async () => {
    const large = pickedOf('a', new Blob([new Uint8Array(100_000_001)]))
    const drops = new KeptDrops({ store: inDatabase(() => undefined) })
    for (const chosen of [picked, [large]]) {
      expect(await drops.keep(chosen, facts)).toBe('unavailable')
    }
    expect(await drops.read()).toBeNull()
    await drops.clear()
  })
})

function databaseOf(): DropStore {
  const databases = new IDBFactory()
  return inDatabase(() => databases)
}

/** The database takes none of these values. */
function refuse(name: string, isRefused: (value: unknown) => boolean): void {
  const { put } = IDBObjectStore.prototype
  spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (
    this: typeof IDBObjectStore.prototype,
    value,
    key,
  ) {
    if (isRefused(value)) throw new DOMException('', name)
    return put.call(this, value, key)
  })
}

test('a database that never opens holds nothing up for long, and is not waited for again', async () => {
  let opened = 0
  const silent = () => {
    opened += 1
    return new EventTarget()
  }
  const store = inDatabase(() => ({ open: silent }) as unknown as globalThis.IDBFactory, 10)
  const drops = new KeptDrops({ store })
  await drops.clear()
  expect(await drops.keep(picked, facts)).toBe('unavailable')
  expect(opened).toBe(1)
})

test('over plain HTTP the database keeps nothing', async () => {
  const databases = new IDBFactory()
  Object.defineProperty(globalThis, 'isSecureContext', { value: false, configurable: true })
  try {
    const store = inDatabase(() => databases)
    expect(await new KeptDrops({ store }).keep(picked, facts)).toBe('unavailable')
  } finally {
    Reflect.deleteProperty(globalThis, 'isSecureContext')
  }
})
