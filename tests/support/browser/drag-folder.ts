import type { Locator, Page } from 'playwright-core'
import { eventually } from '#tests/support/eventually.ts'

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

/** Moves, as a hand does, until the page says where the folder would go, wherever that is drawn by then; then drops it. */
export async function dropFolderOn(target: Locator, folder: string, told: Locator): Promise<void> {
  const hand = await dragFolder(target.page(), folder)
  const place = async () => {
    const box = await target.boundingBox()
    if (box === null) throw new Error('the target is not in the window')
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
  }
  await eventually(async () => {
    // Away from the notices at the lower edge.
    await target.evaluate((element) => element.scrollIntoView({ block: 'center' }))
    await hand.moveTo(await place())
    await told.waitFor({ timeout: 1_000 })
  })
  await hand.drop(await place())
}

interface Place {
  readonly x: number
  readonly y: number
}
