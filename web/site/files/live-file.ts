import { isReservedFile } from '#site/visit/find-file.ts'
import { ApiError, addressOf, answeredError } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'
import type { ListedFile } from './tree-rows.ts'

/** Where the bytes of a file of the live version, or of the one with this id, are, as a download. */
export const contentAddress = (rkey: string, path: string, id = 'live'): string =>
  addressOf('GET /api/site/:rkey/versions/:id/content', {
    params: { rkey, id },
    query: { path },
  }).path

/** The bytes of a file of the live version, or of the one with this id; null: there is no such file. Throws ApiError. */
export async function readContent(rkey: string, path: string, id?: string): Promise<Blob | null> {
  let response: Response
  try {
    response = await fetch(contentAddress(rkey, path, id))
    if (response.ok) return await response.blob()
  } catch (cause) {
    throw new ApiError(null, words.server.unreachable, { cause })
  }
  const { headers, status } = response
  if (status === 404) return null
  throw answeredError(status, await response.json().catch(() => null), headers)
}

/** Null: there is no such file. */
export const bytesOf = async (content: Blob | null): Promise<Uint8Array<ArrayBuffer> | null> =>
  content && new Uint8Array(await content.arrayBuffer())

/** Of two contents; null: there is no such file. */
export const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null
    ? a === b
    : a.length === b.length && a.every((byte, at) => byte === b[at])

/** Where visitors get the file; null: they never do. */
export const visitedAddress = ({ path, url }: ListedFile): string | null =>
  isReservedFile(path) ? null : url

/** Larger files cannot be edited: every key press compares the whole text. */
export const editedBytesMax = 500_000

/** Whether it may be text, by its type and size: the rest shows when it is read. */
export const mayEdit = ({ bytes, mediaType, path }: ListedFile): boolean =>
  bytes <= editedBytesMax && (isReservedFile(path) || !isBinary.test(mediaType))

const isBinary =
  /^(?:audio|video|font|model)\/|^image\/(?!svg)|^application\/(?:pdf|zip|gzip|wasm|x-(?:tar|7z)|vnd\.(?!.*\+(?:xml|json)))/

/** Where the file is edited in these pages. */
export const editAddress = (rkey: string, path: string): string =>
  `${filesAddress(rkey)}?${new URLSearchParams({ edit: path })}`

export const filesAddress = (rkey: string): string => `/sites/${encodeURIComponent(rkey)}/files`
