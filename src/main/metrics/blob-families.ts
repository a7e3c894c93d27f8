import type { BlobCacheStats } from '#blobs/cached-blobs.ts'
import type { S3Count } from '#blobs/s3-client.ts'
import type { S3Operation } from '#blobs/s3-request.ts'
import type { Family } from '#observe/metrics.ts'
import type { Counts } from '#observe/tally.ts'

interface BlobOptions {
  /** Of the threads, by name. */
  readonly requests: () => Readonly<Record<string, Counts<S3Count>>>
  readonly copies: { readonly stats: BlobCacheStats } | null
}

/** Requests to the bucket of the blobs, and their copies on this disk. */
export function blobFamilies({ copies, requests }: BlobOptions): Family[] {
  const counted = (
    name: string,
    help: string,
    label: string,
    parts: Readonly<Partial<Record<S3Count, string>>>,
  ): Family => ({
    name: `sitehost_blob_store_${name}_total`,
    help,
    kind: 'counter',
    read: () =>
      Object.entries(requests()).flatMap(([thread, counts]) =>
        Object.entries(parts).map(([count, value]) => ({
          labels: { thread, [label]: value },
          value: counts[count as S3Count] ?? 0,
        })),
      ),
  })
  const copied = (
    name: string,
    help: string,
    kind: Family['kind'],
    numberIn: (stats: BlobCacheStats) => number,
  ): Family => ({
    name: `sitehost_blob_copies_${name}`,
    help,
    kind,
    read: () => (copies === null ? [] : [{ value: numberIn(copies.stats) }]),
  })
  return [
    counted(
      'requests',
      'Requests to the bucket of the blobs, by operation.',
      'operation',
      operations,
    ),
    counted('outcomes', 'Tries after the first, and requests that failed at last.', 'outcome', {
      retry: 'retried',
      failure: 'failed',
    }),
    counted('bytes', 'Bytes of blobs that were sent and received.', 'direction', {
      'sent-bytes': 'sent',
      'received-bytes': 'received',
    }),
    copied('hits_total', 'Blobs that were opened from a copy.', 'counter', ({ hits }) => hits),
    copied('misses_total', 'Blobs without a copy.', 'counter', ({ misses }) => misses),
    copied('bytes', 'Disk space of the copies.', 'gauge', ({ bytes }) => bytes),
    copied('files', 'Copies on this disk.', 'gauge', ({ files }) => files),
    copied(
      'writing',
      '0: the disk took no copy within the last minute.',
      'gauge',
      ({ isWriting }) => Number(isWriting),
    ),
  ]
}

const operations: Readonly<Record<S3Operation, string>> = {
  get: 'get',
  put: 'put',
  head: 'head',
  delete: 'delete',
  list: 'list',
}
