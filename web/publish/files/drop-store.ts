/** What the browser keeps of a drop for this page: an index, and the bytes of its files after each other. */
export interface StoredDrop {
  readonly index: unknown
  readonly content: Blob
}

/** Each method rejects with a DOMException where the browser keeps nothing. */
export interface DropStore {
  /** Takes the place of what is stored, whole or not at all. */
  readonly write: (drop: StoredDrop) => Promise<void>
  readonly read: () => Promise<StoredDrop | null>
  /** Changes the index of what is stored; does nothing where nothing is. */
  readonly change: (change: (index: unknown) => unknown) => Promise<void>
  readonly clear: () => Promise<void>
}

/**
 * IndexedDB, which pages of every browser can write to. Not over plain HTTP, where no lock keeps two tabs apart, and no more in
 * this page once a database has not opened within `openingMsMax`, so that nothing that waits for it, such as a sign-out, hangs.
 */
export function inDatabase(
  databases: () => IDBFactory | undefined = () => globalThis.indexedDB,
  openingMsMax = 2_000,
): DropStore {
  let isStuck = false
  async function open(): Promise<IDBDatabase> {
    if (isStuck || globalThis.isSecureContext === false) throw notSupported()
    const opening = databases()?.open('dropped')
    if (opening === undefined) throw notSupported()
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
  /** Resolves to what `work` returns, called once all that it has asked for is done. */
  async function inTransaction<Result>(
    mode: IDBTransactionMode,
    work: (files: IDBObjectStore) => () => Result,
  ): Promise<Result> {
    const database = await open()
    try {
      const transaction = database.transaction('files', mode)
      const result = work(transaction.objectStore('files'))
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error ?? notSupported())
      })
      return result()
    } finally {
      database.close()
    }
  }
  return {
    async write({ index, content }) {
      const put = (value: Blob | ArrayBuffer) =>
        inTransaction('readwrite', (files) => {
          // First: where it throws, nothing is stored.
          files.put(value, 'content')
          files.put(index, 'index')
          return () => undefined
        })
      try {
        await put(content)
      } catch (error) {
        // Private windows of Safari keep no blobs: https://bugs.webkit.org/show_bug.cgi?id=156347
        if (!['DataCloneError', 'UnknownError'].includes(nameOf(error) ?? '')) throw error
        if (content.size > copiedBytesMax) throw new DOMException('', 'QuotaExceededError')
        await put(await content.arrayBuffer())
      }
    },
    read: () =>
      inTransaction('readonly', (files) => {
        const index: IDBRequest<unknown> = files.get('index')
        const content: IDBRequest<Blob | ArrayBuffer | undefined> = files.get('content')
        return () =>
          content.result === undefined
            ? null
            : { index: index.result, content: new Blob([content.result]) }
      }),
    change: (change) =>
      inTransaction('readwrite', (files) => {
        const index: IDBRequest<unknown> = files.get('index')
        index.onsuccess = () => {
          if (index.result !== undefined) files.put(change(index.result), 'index')
        }
        return () => undefined
      }),
    clear: () =>
      inTransaction('readwrite', (files) => {
        files.clear()
        return () => undefined
      }),
  }
}

/** A copy is held in memory as a whole, more than once. */
const copiedBytesMax = 100_000_000

const nameOf = (error: unknown) => (error instanceof DOMException ? error.name : null)

const notSupported = () => new DOMException('', 'NotSupportedError')
