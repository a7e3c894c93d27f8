import { afterEach, beforeEach, describe, expect, mock, spyOn, test } from 'bun:test'
import { IDBFactory, IDBObjectStore } from 'fake-indexeddb'
import { KeptDrops } from './kept-drop.ts'
import { inDatabase, inPrivateFolder, type KeptFiles } from './kept-files.ts'
import { pickedOf } from './picked-file.ts'

const hourMs = 60 * 60_000
const facts = { siteName: 'blog', deployId: null }
const picked = ['a/index.html', 'a/x "y".css', 'a/empty'].map((path, at) =>
  pickedOf(path, new Blob([at === 2 ? '' : `${at} ${path}`])),
)

class FakeStorage implements StorageManager {
  readonly files = new Map<string, Blob>()
  isFull = false
  isReadOnly = false

  async estimate() {
    return {}
  }

  async persist() {
    return false
  }

  async persisted() {
    return false
  }

  #writable(name: string) {
    return async () => ({
      write: async (content: Blob) => {
        if (this.isFull) throw new DOMException('full', 'QuotaExceededError')
        this.files.set(name, content)
      },
      close: async () => undefined,
    })
  }

  async getDirectory() {
    const { files } = this
    const missing = () => new DOMException('there is none', 'NotFoundError')
    const folder = {
      removeEntry: async (name: string) => {
        if (!files.delete(name)) throw missing()
      },
      getFileHandle: async (name: string, { create = false } = {}) => {
        if (!create && !files.has(name)) throw missing()
        return {
          getFile: async () => new Blob([files.get(name) ?? '']),
          createWritable: this.isReadOnly ? undefined : this.#writable(name),
        }
      },
    }
    return folder as unknown as FileSystemDirectoryHandle
  }
}

describe.each([
  ['the private file system', () => inPrivateFolder(new FakeStorage())],
  ['the database', databaseOf],
  ['the database of a private window of Safari', databaseOf],
])('what was dropped, in %s,', (where, open) => {
  let store: KeptFiles
  let drops: KeptDrops
  let at = 0

  beforeEach(() => {
    if (where.includes('Safari')) refuse('DataCloneError', (value) => value instanceof Blob)
    at = 0
    store = open()
    drops = new KeptDrops({ stores: [store], now: () => at })
  })
  afterEach(() => mock.restore())
  const expectEmpty = async () => {
    expect(await drops.read()).toBeNull()
    for (const name of ['dropped', 'dropped.json']) expect(await store.read(name)).toBeNull()
  }

  test('is there for another page, file by file', async () => {
    expect(await drops.keep(picked, facts)).toBe('kept')
    const kept = await new KeptDrops({ stores: [store], now: () => at }).read()
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

  test('is given up when its files are not those of its index', async () => {
    await drops.keep(picked, facts)
    await store.write('dropped', new Blob(['other']))
    await expectEmpty()
    await drops.keep(picked, facts)
    await store.write('dropped.json', new Blob(['{']))
    await expectEmpty()
  })

  test('is not offered when the page ended before its index was written', async () => {
    await drops.keep(picked, facts)
    await store.remove('dropped.json')
    expect(await drops.read()).toBeNull()
  })
})

describe('the first store that keeps files is taken', () => {
  afterEach(() => mock.restore())

  const withoutFolder: [string, StorageManager | undefined][] = [
    ['over plain HTTP', undefined],
    ['in a browser without it', {} as StorageManager],
    ['in a private window', rejecting()],
    ['in Safari before 26', Object.assign(new FakeStorage(), { isReadOnly: true })],
  ]
  test.each(withoutFolder)('%s: the database', async (_, storage) => {
    const database = databaseOf()
    const drops = new KeptDrops({ stores: [inPrivateFolder(storage), database] })
    expect(await drops.keep(picked, facts)).toBe('kept')
    expect(await database.read('dropped.json')).not.toBeNull()
    expect(await drops.read()).toMatchObject(facts)
    await drops.clear()
    expect(await database.read('dropped.json')).toBeNull()
  })

  test('what an earlier version of the browser kept in the other one is found, and goes with it', async () => {
    const [folder, database] = [inPrivateFolder(new FakeStorage()), databaseOf()]
    await new KeptDrops({ stores: [database] }).keep(picked, facts)
    const drops = new KeptDrops({ stores: [folder, database] })
    expect(await drops.read()).toMatchObject(facts)
    await drops.keep(picked, facts)
    expect(await database.read('dropped')).toBeNull()
    expect(await folder.read('dropped')).not.toBeNull()
  })
})

describe('nothing is kept', () => {
  afterEach(() => mock.restore())

  test('of too many bytes', async () => {
    const huge = { ...pickedOf('a', new Blob()), bytes: 1_000_000_001 }
    expect(await new KeptDrops({ stores: [databaseOf()] }).keep([huge], facts)).toBe('too-large')
  })

  test('where the browser has no room, before it is written', async () => {
    const storage = { estimate: async () => ({ quota: 3, usage: 0 }) }
    expect(await new KeptDrops({ stores: [databaseOf()], storage }).keep(picked, facts)).toBe(
      'no-room',
    )
  })

  test('where the browser has no room, while it is written', async () => {
    const storage = new FakeStorage()
    storage.isFull = true
    const drops = new KeptDrops({ stores: [inPrivateFolder(storage), databaseOf()] })
    expect(await drops.keep(picked, facts)).toBe('no-room')
    expect(storage.files.size).toBe(0)
    refuse('QuotaExceededError', () => true)
    expect(await new KeptDrops({ stores: [databaseOf()] }).keep(picked, facts)).toBe('no-room')
  })

  test('of what would be copied into memory where the database takes no blobs', async () => {
    refuse('UnknownError', (value) => value instanceof Blob)
    const large = pickedOf('a', new Blob([new Uint8Array(100_000_001)]))
    const store = databaseOf()
    expect(await new KeptDrops({ stores: [store] }).keep([large], facts)).toBe('no-room')
    expect(await store.read('dropped')).toBeNull()
  })

  test('where the browser has neither', async () => {
    const none = () => undefined as unknown as IDBFactory
    const drops = new KeptDrops({ stores: [inPrivateFolder(rejecting()), inDatabase(none)] })
    expect(await drops.keep(picked, facts)).toBe('unavailable')
    expect(await drops.read()).toBeNull()
    await drops.clear()
  })
})

function databaseOf(): KeptFiles {
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

const rejecting = () =>
  Object.assign(new FakeStorage(), {
    getDirectory: () => Promise.reject(new DOMException('', 'SecurityError')),
  })

test('a database that never opens holds nothing up for long, and is not waited for again', async () => {
  let opened = 0
  const silent = () => {
    opened += 1
    return new EventTarget()
  }
  const store = inDatabase(() => ({ open: silent }) as unknown as globalThis.IDBFactory, 10)
  const drops = new KeptDrops({ stores: [store] })
  await drops.clear()
  expect(await drops.keep(picked, facts)).toBe('unavailable')
  expect(opened).toBe(1)
})

test('over plain HTTP the database keeps nothing', async () => {
  const databases = new IDBFactory()
  Object.defineProperty(globalThis, 'isSecureContext', { value: false, configurable: true })
  try {
    const store = inDatabase(() => databases)
    expect(await new KeptDrops({ stores: [store] }).keep(picked, facts)).toBe('unavailable')
  } finally {
    Reflect.deleteProperty(globalThis, 'isSecureContext')
  }
})
