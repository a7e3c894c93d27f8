/** Files that the browser keeps for this page. Each method rejects where the browser keeps none in this way. */
export interface KeptFiles {
  /** Replaces the file whole, or leaves it as it is. */
  readonly write: (name: string, content: Blob) => Promise<void>
  /** Null: there is no such file. */
  readonly read: (name: string) => Promise<Blob | null>
  readonly remove: (name: string) => Promise<void>
}

/**
 * The browser's private file system. There is none over plain HTTP and in private windows of some browsers; pages cannot
 * write to it in Safari before 26.
 */
export const inPrivateFolder = (
  storage: StorageManager | undefined = globalThis.navigator?.storage,
): KeptFiles => ({
  async write(name, content) {
    const folder = await folderOf(storage)
    const file = await folder.getFileHandle(name, { create: true })
    if (file.createWritable === undefined) throw notSupported()
    // Takes its place when it is closed, whole.
    const writable = await file.createWritable()
    await writable.write(content)
    await writable.close()
  },
  async read(name) {
    const folder = await folderOf(storage)
    try {
      return await (await folder.getFileHandle(name)).getFile()
    } catch (error) {
      if (nameOf(error) === 'NotFoundError') return null
      throw error
    }
  },
  async remove(name) {
    await (await folderOf(storage)).removeEntry(name)
  },
})

/** IndexedDB, which pages of every browser can write to. */
export const inDatabase = (open = () => globalThis.indexedDB): KeptFiles => ({
  async write(name, content) {
    const put = (value: Blob | ArrayBuffer) =>
      inTransaction(open(), 'readwrite', (files) => files.put(value, name))
    try {
      await put(content)
    } catch (error) {
      if (nameOf(error) === 'QuotaExceededError') throw error
      // Private windows of Safari keep no blobs: https://bugs.webkit.org/show_bug.cgi?id=156347
      if (content.size > copiedBytesMax) throw new DOMException('', 'QuotaExceededError')
      await put(await content.arrayBuffer())
    }
  },
  async read(name) {
    const found: Blob | ArrayBuffer | undefined = await inTransaction(open(), 'readonly', (files) =>
      files.get(name),
    )
    return found === undefined ? null : new Blob([found])
  },
  async remove(name) {
    await inTransaction(open(), 'readwrite', (files) => files.delete(name))
  },
})

/** What is copied is in memory whole, more than once. */
const copiedBytesMax = 100_000_000

const nameOf = (error: unknown) => (error instanceof DOMException ? error.name : null)

const notSupported = () => new DOMException('', 'NotSupportedError')

async function folderOf(storage: StorageManager | undefined) {
  if (storage?.getDirectory === undefined) throw notSupported()
  return await storage.getDirectory()
}

/** Resolves once what `work` has asked for is stored. */
async function inTransaction<Result>(
  databases: IDBFactory,
  mode: IDBTransactionMode,
  work: (files: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
  const opening = databases.open('dropped')
  opening.onupgradeneeded = () => opening.result.createObjectStore('files')
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
  try {
    const transaction = database.transaction('files', mode)
    const request = work(transaction.objectStore('files'))
    return await new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error ?? request.error)
    })
  } finally {
    database.close()
  }
}
