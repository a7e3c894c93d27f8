import type { UploadFile } from '../../../devnet/app-client.ts'

/** A file of an upload. */
export const textFile = (path: string, body: string): UploadFile => ({
  path,
  body: new Blob([body]),
})

/** So many small files, all different from those of any other `about`. */
export const smallFiles = (count: number, about: string): UploadFile[] =>
  Array.from({ length: count }, (_, i) => textFile(`page-${i}.html`, `${about} ${i}`))
