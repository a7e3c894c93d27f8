/** A person sees no delay below this. */
const sliceMs = 30

/** Does `work` for each item, and lets the page answer before and in between. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
): Promise<void> {
  await nextTask()
  let sliceEnds = performance.now() + sliceMs
  for (const item of items) {
    work(item)
    if (performance.now() < sliceEnds) continue
    await nextTask()
    sliceEnds = performance.now() + sliceMs
  }
}

/** What is waiting to be answered is. */
export const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))
