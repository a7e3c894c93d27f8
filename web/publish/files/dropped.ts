import { type PickedFile, pickedOf } from './picked-file.ts'

/** The files of `<input type=file>`, folder pick or not. */
export function filesOfInput(files: Iterable<File>): PickedFile[] {
  return Array.from(files, (file) => {
    const { name, webkitRelativePath: path } = file
    // Chromium writes a slash for each backslash in the path, which would make folders of it.
    return pickedOf(path.slice(0, -name.length) + name, file)
  })
}

/** The files and folders of a drop, not its texts. Call it within the event: the items are gone after it. */
export function entriesOfDrop(items: Iterable<DataTransferItem>): FileSystemEntry[] {
  const entries = Array.from(items, (item) => item.webkitGetAsEntry())
  return entries.filter((entry) => entry !== null)
}
