import { join } from 'node:path'
import { s3BlobStore } from '#blobs/s3.ts'
import { S3Client, type S3ClientOptions } from '#blobs/s3-client.ts'
import { parseS3Location, type S3Location } from '#blobs/s3-location.ts'

/** The bucket `blobs` of a server of the tests. */
export function s3LocationAt(endpoint: string, prefix = ''): S3Location {
  const { location, problem } = parseS3Location({
    url: `s3://blobs/${prefix}?endpoint=${endpoint}`,
    region: undefined,
    accessKeyId: 'test',
    secretAccessKey: 'test-secret',
    sessionToken: undefined,
  })
  if (problem !== undefined) throw new Error(problem)
  return location
}

interface StoreOptions extends Partial<Omit<S3ClientOptions, 'location'>> {
  readonly location: S3Location
  readonly dir: string
  readonly onCorrupt?: (hash: string) => void
}

export function testS3Store({ dir, location, onCorrupt, ...options }: StoreOptions) {
  const client = new S3Client({ location, requestsMax: 16, ...options })
  const store = s3BlobStore({
    client,
    tempDir: join(dir, 'tmp'),
    openBytesMax: 16 * 1024 * 1024,
    ...(onCorrupt && { onCorrupt }),
  })
  return { client, store }
}
