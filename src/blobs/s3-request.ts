import { AwsV4Signer } from 'aws4fetch'
import type { S3Location } from './s3-location.ts'

export type S3Operation = 'get' | 'put' | 'head' | 'delete' | 'list'

export interface S3Request {
  readonly operation: S3Operation
  /** Below the prefix; empty: the bucket itself. */
  readonly key: string
  readonly query?: URLSearchParams
  readonly content?: S3Content
  readonly signal?: AbortSignal | undefined
}

export interface S3Content {
  readonly source: Blob | Uint8Array<ArrayBuffer>
  readonly hash: string
  readonly bytes: number
}

export const s3Methods = {
  get: 'GET',
  put: 'PUT',
  head: 'HEAD',
  delete: 'DELETE',
  list: 'GET',
} as const satisfies Record<S3Operation, string>

/** SHA-256 of no bytes. */
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Signs requests to one bucket (AWS Signature Version 4). */
export class S3Signer {
  readonly #location: S3Location
  /** One key a day and region. */
  readonly #keys = new Map<string, ArrayBuffer>()

  constructor(location: S3Location) {
    this.#location = location
  }

  async sign({ content, key, operation, query }: S3Request) {
    const { bucketUrl, credentials, prefix, region } = this.#location
    const url = new URL(key === '' ? bucketUrl : `${bucketUrl}/${prefix}${key}`)
    for (const [name, value] of query ?? []) url.searchParams.set(name, value)
    const { accessKeyId, secretAccessKey, sessionToken } = credentials
    const signer = new AwsV4Signer({
      url: url.href,
      method: s3Methods[operation],
      headers: {
        'x-amz-content-sha256': content?.hash ?? emptyHash,
        ...(content !== undefined && { 'content-type': 'application/octet-stream' }),
      },
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== null && { sessionToken }),
      service: 's3',
      region,
      cache: this.#keys,
    })
    return await signer.sign()
  }
}
