import type { Page } from 'playwright-core'

/** A hand that holds a folder of the disk above a page, at a place of its window. */
export async function dragFolder(page: Page, folder: string) {
  const devTools = await page.context().newCDPSession(page)
  const data = { items: [], files: [folder], dragOperationsMask: 1 }
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop', place: Place) =>
    devTools.send('Input.dispatchDragEvent', { type, ...place, data })
  return {
    async moveTo(place: Place): Promise<void> {
      await drag('dragEnter', place)
      await drag('dragOver', place)
    },
    async drop(place: Place): Promise<void> {
      await drag('drop', place)
      await devTools.detach()
    },
  }
}

interface Place {
  readonly x: number
  readonly y: number
}
