/** The files and folders of a drop, not its texts. Call it within the event: the items are gone after it. */
export function entriesOfDrop(items: Iterable<DataTransferItem>): FileSystemEntry[] {
  const entries = Array.from(items, (item) => item.webkitGetAsEntry())
  return entries.filter((entry) => entry !== null)
}
