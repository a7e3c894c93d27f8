import { BlobStorageError } from '#blobs/blob-store.ts'
import { s3BlobStore } from '#blobs/s3.ts'
import { S3Client } from '#blobs/s3-client.ts'
import { S3Error } from '#blobs/s3-error.ts'
import { type S3Location, s3LocationText } from '#blobs/s3-location.ts'
import { type Finding, ok, problem } from '#cli/diagnosis/finding.ts'
import type { Config } from '#main/config/config.ts'
import { dateDifferenceOf } from './check-clock.ts'

/** People wait for the answer. */
const timing = { tryMs: 3_000, retryMs: 4_000, pauseMs: 100 }
const testBytesMax = 1024
/** Beyond 15 minutes, servers refuse signatures. */
const skewMsMax = 5 * 60 * 1000

/** Stores, reads and deletes a small object in the bucket of the blobs, and compares the clocks. */
export async function checkBucket(location: S3Location): Promise<Finding[]> {
  const address = s3LocationText(location)
  const client = new S3Client({ location, requestsMax: 1, timing })
  const key = `doctor-${crypto.randomUUID()}`
  const bytes = new TextEncoder().encode(key)
  const hash = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
  const content = { source: bytes, hash, bytes: bytes.byteLength }
  try {
    await client.request({ operation: 'list', key: '' }, async () => undefined)
    const date = await client.request({ operation: 'put', key, content }, async (answer) => {
      return answer.date
    })
    const read = await client.request({ operation: 'get', key }, async ({ body, isThere }) => {
      return isThere && Buffer.from(await body.whole(testBytesMax)).equals(bytes)
    })
    await client.request({ operation: 'delete', key }, async () => undefined)
    if (!read) {
      return [
        problem(
          'blob store',
          `${address} returned other bytes`,
          'look for a proxy that changes them',
        ),
      ]
    }
    return [ok('blob store', `${address} stores, returns and deletes`), ...clockOf(date)]
  } catch (error) {
    if (!(error instanceof BlobStorageError) || !(error.cause instanceof S3Error)) throw error
    return [problem('blob store', `${address}: ${error.cause.message}`, adviceFor(error.cause))]
  }
}

/** Whether the bucket of the blobs answers; null: they are in the data folder. Never rejects for a bucket that is away. */
export async function bucketAnswers({
  blobStore,
}: Pick<Config, 'blobStore'>): Promise<boolean | null> {
  if (blobStore === null) return null
  const client = new S3Client({ location: blobStore.location, requestsMax: 1, timing })
  try {
    await s3BlobStore({ client, tempDir: '', openBytesMax: 0 }).assertThere()
    return true
  } catch (error) {
    if (error instanceof BlobStorageError) return false
    throw error
  }
}

function clockOf(date: string | null): Finding[] {
  const differenceMs = dateDifferenceOf(date, Date.now())
  if (differenceMs === null || differenceMs <= skewMsMax) return []
  const seen = `${Math.round(differenceMs / 1000)} s off the blob store’s`
  return [problem('clock', seen, 'set it by the network: timedatectl set-ntp true')]
}

function adviceFor({ code, status }: S3Error): string {
  if (code === 'RequestTimeTooSkewed') return 'set the clock: timedatectl set-ntp true'
  if (code === 'NoSuchBucket' || status === 404) return 'create the bucket, or correct BLOBS_URL'
  if (
    code === 'AuthorizationHeaderMalformed' ||
    (status !== null && status >= 300 && status < 400)
  ) {
    return 'the bucket is in another region: correct region and endpoint of BLOBS_URL'
  }
  if (status === 401 || status === 403) {
    return 'correct AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and the region, and let the key list, read, write and delete'
  }
  return 'see whether this machine reaches the endpoint of BLOBS_URL'
}
