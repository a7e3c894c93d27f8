import { mediaTypeOf } from '#http/media-type.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import { isCompressible } from '#site/encoding.ts'

/**
 * One file for each content: one that may be compressed, if a file with that content may. So the order in which a program
 * sends files does not show in what is written.
 */
export function distinctContents<File extends Pick<UploadedFile, 'path' | 'sha256'>>(
  files: Iterable<File>,
): File[] {
  const byContent = new Map<string, File>()
  for (const file of files) {
    const other = byContent.get(file.sha256)
    if (other === undefined || !mayBeCompressed(other)) byContent.set(file.sha256, file)
  }
  return [...byContent.values()]
}

const mayBeCompressed = ({ path }: Pick<UploadedFile, 'path'>): boolean =>
  isCompressible(mediaTypeOf(path))
