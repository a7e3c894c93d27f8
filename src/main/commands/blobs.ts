import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { BlobStorageError, type BlobStore } from '#blobs/blob-store.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { type MovedBlobs, moveBlobs } from '#blobs/move-blobs.ts'
import { s3BlobStore } from '#blobs/s3.ts'
import { S3Client } from '#blobs/s3-client.ts'
import { s3LocationText } from '#blobs/s3-location.ts'
import { counted } from '#cli/counted.ts'
import type { BlobsCopyOptions } from '#cli/program.ts'
import { readS3Location } from '#main/config/config.ts'
import { StartError } from '#main/process/start-failure.ts'
import { byteText } from '#site/byte-text.ts'

const requestsMax = 32
/** What a service adds while it is copied is copied next; a busy one never ends adding. */
const passesMax = 5
const timing = { tryMs: 10_000, retryMs: 60_000 }

/** Copies all blobs of one store to another, also while a service uses either of them, and prints a line about each pass. */
export async function runBlobsCopy(options: BlobsCopyOptions, signal: AbortSignal): Promise<void> {
  const [from, to] = [openStore(options.from), openStore(options.to)]
  if (from.name === to.name) throw new StartError('--from and --to are the same store')
  await from.assertThere()
  await to.make()
  for (let pass = 1; pass <= passesMax; pass++) {
    const moved = await moveBlobs({
      ...{ from: from.store, to: to.store, signal },
      onProgress: ({ added, count }) => console.error(`${count} there, ${added} new`),
    }).catch((error) => {
      throw failureOf(error)
    })
    console.log(lineOf(moved))
    if (moved.added === 0) return
  }
}

interface OpenedStore {
  /** For people, and the same for the same store. */
  readonly name: string
  readonly store: BlobStore
  readonly assertThere: () => Promise<void>
  /** Creates a folder; a bucket has to be there. */
  readonly make: () => Promise<void>
}

/** `s3://…`, as in BLOBS_URL, or a folder such as `data/blobs`. */
function openStore(text: string): OpenedStore {
  if (!text.startsWith('s3:')) {
    const store = diskBlobStore({ dir: resolve(text) })
    const assertThere = async (): Promise<void> => {
      await store.assertThere().catch((cause) => {
        throw new StartError(`${text} is no folder of blobs, or is not mounted`, { cause })
      })
    }
    return { name: resolve(text), store, assertThere, make: () => store.make() }
  }
  const location = readS3Location(text)
  const name = s3LocationText(location)
  const client = new S3Client({ location, requestsMax, timing })
  const tempDir = join(tmpdir(), `sitehost-blobs-${process.pid}`)
  const store = s3BlobStore({ client, tempDir, openBytesMax: 0 })
  const assertThere = async (): Promise<void> => {
    await store.assertThere().catch((error) => {
      throw failureOf(error, name)
    })
  }
  return { name, store, assertThere, make: assertThere }
}

function failureOf(error: unknown, name = 'a store'): unknown {
  if (!(error instanceof BlobStorageError)) return error
  const reason = error.cause instanceof Error ? error.cause.message : error.reason
  return new StartError(`${name}: ${reason}; what was copied is kept: repeat the command`, {
    cause: error,
  })
}

function lineOf({ added, addedBytes, count, missing }: MovedBlobs): string {
  const lost = missing === 0 ? '' : `, ${counted(missing, 'blob')} damaged or removed meanwhile`
  return `${counted(count, 'blob')} there, ${added} new (${byteText(addedBytes)})${lost}`
}
