/** Where an S3 API keeps blobs, and how requests to it are signed. */
export interface S3Location {
  /** The address of the bucket, without a final slash. */
  readonly bucketUrl: string
  /** What an object's key begins with: empty, or ends in a slash. */
  readonly prefix: string
  readonly region: string
  readonly credentials: S3Credentials
}

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Null: permanent credentials. */
  readonly sessionToken: string | null
}

interface LocationGiven {
  /** `s3://bucket/prefix?endpoint=https://…&region=…&addressing=virtual` */
  readonly url: string
  /** Where the address names none. */
  readonly region: string | undefined
  readonly accessKeyId: string | undefined
  readonly secretAccessKey: string | undefined
  readonly sessionToken: string | undefined
}

/** Most servers that are not Amazon's accept it, or ignore the region. */
const regionDefault = 'us-east-1'

/** `problem`: what is wrong, for the operator; contains no credentials. */
export type ParsedLocation =
  | { readonly location: S3Location; readonly problem?: undefined }
  | { readonly location?: undefined; readonly problem: string }

/**
 * Reads the address of a blob store. The bucket is in the path of a request (`addressing=path`, which every server
 * understands) or in its host name (`virtual`). Without `endpoint`, the bucket is at Amazon and needs a region.
 */
export function parseS3Location({ url: text, ...given }: LocationGiven): ParsedLocation {
  const url = URL.parse(text)
  if (url === null || url.protocol !== 's3:') return { problem: expected }
  if (url.username !== '' || url.password !== '') {
    return { problem: 'credentials belong in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY' }
  }
  const bucket = url.hostname
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket) || url.port !== '' || url.hash !== '') {
    return { problem: expected }
  }
  const prefix = prefixOf(url.pathname)
  if (prefix === null) return { problem: 'the prefix: letters, digits and - _ . between slashes' }
  const unknown = [...url.searchParams.keys()].find((name) => !parameters.has(name))
  if (unknown !== undefined) return { problem: `no ${unknown}: ${[...parameters].join(', ')}` }

  const region = url.searchParams.get('region') ?? given.region
  const endpoint = endpointOf(url.searchParams.get('endpoint'), region)
  if (typeof endpoint === 'string') return { problem: endpoint }
  const addressing = url.searchParams.get('addressing') ?? 'path'
  if (addressing !== 'path' && addressing !== 'virtual') {
    return { problem: 'addressing: path or virtual' }
  }
  const { accessKeyId, secretAccessKey, sessionToken = null } = given
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    return { problem: 'needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY' }
  }
  const base = endpoint.origin + endpoint.pathname.replace(/\/+$/, '')
  return {
    location: {
      bucketUrl: addressing === 'path' ? `${base}/${bucket}` : base.replace('://', `://${bucket}.`),
      prefix,
      region: region ?? regionDefault,
      credentials: { accessKeyId, secretAccessKey, sessionToken },
    },
  }
}

/** For people: the same store has the same text, and it contains no credentials. */
export const s3LocationText = ({ bucketUrl, prefix }: S3Location): string =>
  `${bucketUrl}/${prefix}`

const expected = 's3://bucket, or s3://bucket/prefix?endpoint=https://host&region=name'
const parameters: ReadonlySet<string> = new Set(['endpoint', 'region', 'addressing'])

/** Null: characters that servers and signatures write in different ways. */
function prefixOf(pathname: string): string | null {
  const segments = pathname.split('/').filter((segment) => segment !== '')
  const isPlain = segments.every(
    (segment) => /^[A-Za-z0-9._-]+$/.test(segment) && !/^\.+$/.test(segment),
  )
  if (!isPlain) return null
  return segments.map((segment) => `${segment}/`).join('')
}

/** A string is a problem. */
function endpointOf(text: string | null, region: string | undefined): URL | string {
  if (text === null) {
    return region === undefined || !/^[a-z0-9-]+$/.test(region)
      ? 'needs an endpoint, or the region of an Amazon bucket: ?region=eu-central-1'
      : new URL(`https://s3.${region}.amazonaws.com`)
  }
  const endpoint = URL.parse(text)
  const isPlain =
    endpoint !== null &&
    /^https?:$/.test(endpoint.protocol) &&
    endpoint.username === '' &&
    endpoint.search === '' &&
    endpoint.hash === ''
  return isPlain ? endpoint : 'endpoint: an address such as https://s3.example.com'
}
