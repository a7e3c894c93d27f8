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

/**
 * IndexedDB, which pages of every browser can write to. Not over plain HTTP, where no lock keeps two tabs apart, and no more in
 * this page once a database has not opened within `openingMsMax`, so that nothing that waits for it, such as a sign-out, hangs.
 */
export function inDatabase(
  databases = () => globalThis.indexedDB,
  openingMsMax = 2_000,
): KeptFiles {
  let isStuck = false
  async function open(): Promise<IDBDatabase> {
    if (isStuck || globalThis.isSecureContext === false) throw notSupported()
    const opening = databases().open('dropped')
    opening.onupgradeneeded = () => opening.result.createObjectStore('files')
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        isStuck = true
        reject(notSupported())
      }, openingMsMax)
      opening.onsuccess = () => {
        clearTimeout(timer)
        if (isStuck) opening.result.close()
        else resolve(opening.result)
      }
      opening.onerror = () => {
        clearTimeout(timer)
        reject(opening.error)
      }
    })
  }
  return {
    async write(name, content) {
      const put = async (value: Blob | ArrayBuffer) =>
        await inTransaction(await open(), 'readwrite', (files) => files.put(value, name))
      try {
        await put(content)
      } catch (error) {
        // Private windows of Safari keep no blobs: https://bugs.webkit.org/show_bug.cgi?id=156347
        if (!['DataCloneError', 'UnknownError'].includes(nameOf(error) ?? '')) throw error
        if (content.size > copiedBytesMax) throw new DOMException('', 'QuotaExceededError')
        await put(await content.arrayBuffer())
      }
    },
    async read(name) {
      const found: Blob | ArrayBuffer | undefined = await inTransaction(
        await open(),
        'readonly',
        (files) => files.get(name),
      )
      return found === undefined ? null : new Blob([found])
    },
    async remove(name) {
      await inTransaction(await open(), 'readwrite', (files) => files.delete(name))
    },
  }
}

/** A copy is held in memory as a whole, more than once. */
const copiedBytesMax = 100_000_000

const nameOf = (error: unknown) => (error instanceof DOMException ? error.name : null)

const notSupported = () => new DOMException('', 'NotSupportedError')

async function folderOf(storage: StorageManager | undefined) {
  if (storage?.getDirectory === undefined) throw notSupported()
  return await storage.getDirectory()
}

/** Resolves once what `work` has asked for is stored; closes the database. */
async function inTransaction<Result>(
  database: IDBDatabase,
  mode: IDBTransactionMode,
  work: (files: IDBObjectStore) => IDBRequest<Result>,
): Promise<Result> {
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
