/** A person sees no delay below this. */
const sliceMs = 30

/** Does `work` for each item, and lets the page answer in between. */
export async function inSlices<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
): Promise<void> {
  let sliceEnds = performance.now() + sliceMs
  for (const item of items) {
    work(item)
    if (performance.now() < sliceEnds) continue
    await new Promise((resolve) => setTimeout(resolve))
    sliceEnds = performance.now() + sliceMs
  }
}
