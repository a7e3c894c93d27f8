import { describe, expect, test } from 'bun:test'
import { KeptDrops } from './kept-drop.ts'
import { pickedOf } from './picked-file.ts'

const hourMs = 60 * 60_000
const facts = { siteName: 'blog', deployId: null }
const picked = ['a/index.html', 'a/x "y".css', 'a/empty'].map((path, at) =>
  pickedOf(path, new Blob([at === 2 ? '' : `${at} ${path}`])),
)

describe('what was dropped', () => {
  test('is there for another page, file by file', async () => {
    const storage = new FakeStorage()
    expect(await new KeptDrops({ storage }).keep(picked, facts)).toBe('kept')
    const kept = await new KeptDrops({ storage }).read()
    expect(kept).toMatchObject(facts)
    const texts = kept?.picked.map(async ({ path, open }) => [path, await (await open()).text()])
    expect(await Promise.all(texts ?? [])).toEqual([
      ['a/index.html', '0 a/index.html'],
      ['a/x "y".css', '1 a/x "y".css'],
      ['a/empty', ''],
    ])
  })

  test('takes the place of what was dropped before', async () => {
    const drops = new KeptDrops({ storage: new FakeStorage() })
    void drops.keep(picked, facts)
    await drops.keep([pickedOf('b', new Blob(['b']))], facts)
    expect((await drops.read())?.picked.map(({ path }) => path)).toEqual(['b'])
  })

  test('is noted with what is known of it later', async () => {
    const drops = new KeptDrops({ storage: new FakeStorage() })
    await drops.note({ deployId: 'd1' })
    expect(await drops.read()).toBeNull()
    await drops.keep(picked, facts)
    await drops.note({ deployId: 'd1' })
    expect(await drops.read()).toMatchObject({ siteName: 'blog', deployId: 'd1' })
  })

  test('is gone when it is cleared', async () => {
    const storage = new FakeStorage()
    const drops = new KeptDrops({ storage })
    await drops.keep(picked, facts)
    await drops.clear()
    expect(await drops.read()).toBeNull()
    expect(storage.files.size).toBe(0)
  })

  test('is gone after a day', async () => {
    const storage = new FakeStorage()
    let at = 0
    const drops = new KeptDrops({ storage, now: () => at })
    await drops.keep(picked, facts)
    at = 24 * hourMs
    expect(await drops.read()).not.toBeNull()
    at += 1
    expect(await drops.read()).toBeNull()
    expect(storage.files.size).toBe(0)
  })

  test('is given up when its files are not those of its index', async () => {
    const storage = new FakeStorage()
    const drops = new KeptDrops({ storage })
    await drops.keep(picked, facts)
    storage.files.set('dropped', 'other')
    expect(await drops.read()).toBeNull()
    storage.files.set('dropped.json', '{')
    expect(await drops.read()).toBeNull()
  })
})

describe('nothing is kept', () => {
  test('of too many bytes', async () => {
    const huge = { ...pickedOf('a', new Blob()), bytes: 1_000_000_001 }
    expect(await new KeptDrops({ storage: new FakeStorage() }).keep([huge], facts)).toBe(
      'too-large',
    )
  })

  test('where the browser has no room, before or while it is written', async () => {
    const storage = new FakeStorage()
    storage.quota = 3
    expect(await new KeptDrops({ storage }).keep(picked, facts)).toBe('no-room')
    storage.quota = 1000
    storage.isFull = true
    expect(await new KeptDrops({ storage }).keep(picked, facts)).toBe('no-room')
    expect(storage.files.size).toBe(0)
  })

  test('where the browser has no private file system', async () => {
    const storage = {} as StorageManager
    const drops = new KeptDrops({ storage })
    expect(await drops.keep(picked, facts)).toBe('unavailable')
    expect(await drops.read()).toBeNull()
    await drops.clear()
  })
})

class FakeStorage implements StorageManager {
  readonly files = new Map<string, Blob | string>()
  quota = 1000
  isFull = false

  async estimate() {
    return { quota: this.quota, usage: 0 }
  }

  async persist() {
    return false
  }

  async persisted() {
    return false
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
          createWritable: async () => ({
            write: async (content: Blob | string) => {
              if (this.isFull) throw new DOMException('full', 'QuotaExceededError')
              files.set(name, content)
            },
            close: async () => undefined,
          }),
        }
      },
    }
    return folder as unknown as FileSystemDirectoryHandle
  }
}
