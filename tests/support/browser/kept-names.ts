import type { Page } from 'playwright-core'

/** The keys under which the page's browser keeps what was dropped; none: nothing is kept. */
export const keptNames = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<IDBValidKey[]>((resolve, reject) => {
        const opening = indexedDB.open('dropped')
        opening.onerror = () => reject(opening.error)
        opening.onsuccess = () => {
          const names = opening.result.transaction('files').objectStore('files').getAllKeys()
          names.onerror = () => reject(names.error)
          names.onsuccess = () => resolve(names.result)
        }
      }),
  )
