import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { sha256 } from '#tests/support/blob-store-contract.ts'

/** What happens to one request in place of a proper answer. */
export type S3Fault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly code?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly kind: 'text'; readonly text: string }
  /** No answer. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  /** Half of the object, then the end of the connection. */
  | { readonly kind: 'cut' }
  /** Half of the object, then nothing. */
  | { readonly kind: 'stall' }
  /** One byte of the object is another. */
  | { readonly kind: 'wrong' }

export interface S3FaultServer extends AsyncDisposable {
  /** For `BLOBS_URL`; the bucket is `blobs`. */
  readonly endpoint: string
  readonly objects: Map<string, Buffer>
  /** For the next requests, one each. */
  readonly faults: S3Fault[]
  /** For every request, until it is null. */
  always: S3Fault | null
  /** Method and path of each request. */
  readonly requests: string[]
  readonly headers: IncomingMessage['headers'][]
}

/** An S3 API in memory whose requests go wrong as a test says. It refuses bytes that are not those that were signed. */
export async function startS3FaultServer({ pageKeysMax = 1000 } = {}): Promise<S3FaultServer> {
  const http = createServer((request, response) => void answer(request, response))
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const server: S3FaultServer = {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    objects: new Map(),
    faults: [],
    always: null,
    requests: [],
    headers: [],
    async [Symbol.asyncDispose]() {
      http.closeAllConnections()
      http.close()
    },
  }
  const { faults, objects } = server

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { headers, method = '' } = request
    const url = new URL(request.url ?? '', server.endpoint)
    server.requests.push(`${method} ${url.pathname}`)
    server.headers.push(headers)
    const fault = server.always ?? faults.shift()
    const body = await buffer(request)
    const key = url.pathname.slice('/blobs/'.length)
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'reset') return void request.socket.destroy()
    if (fault?.kind === 'status') return refuse(response, fault)
    if (fault?.kind === 'text') return void response.end(fault.text)
    if (key === '') return void response.end(list(url.searchParams))
    if (method === 'PUT') {
      if (sha256(body) !== headers['x-amz-content-sha256']) {
        return refuse(response, { status: 400, code: 'BadDigest' })
      }
      objects.set(key, body)
      return void response.end()
    }
    const bytes = objects.get(key)
    if (method === 'DELETE') {
      objects.delete(key)
      return void response.writeHead(204).end()
    }
    if (bytes === undefined) return refuse(response, { status: 404, code: 'NoSuchKey' })
    send(response, bytes, fault?.kind)
  }

  function list(query: URLSearchParams): string {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    const max = Math.min(pageKeysMax, Number(query.get('max-keys') ?? pageKeysMax))
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort()
    const contents = keys.slice(0, max).map((key) => `<Contents><Key>${key}</Key></Contents>`)
    const next =
      keys.length > max
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${keys[max - 1]}</NextContinuationToken>`
        : ''
    return `<ListBucketResult>${next}${contents.join('')}</ListBucketResult>`
  }

  return server
}

function send(response: ServerResponse, bytes: Buffer, fault: string | undefined): void {
  response.writeHead(200, { 'content-length': bytes.length })
  if (fault === 'wrong') {
    const wrong = Buffer.from(bytes)
    wrong[0] = (wrong[0] ?? 0) ^ 1
    return void response.end(wrong)
  }
  if (fault !== 'cut' && fault !== 'stall') return void response.end(bytes)
  response.write(bytes.subarray(0, bytes.length / 2), () => {
    if (fault === 'cut') response.socket?.destroy()
  })
}

function refuse(
  response: ServerResponse,
  { code, headers, status }: Omit<Extract<S3Fault, { kind: 'status' }>, 'kind'>,
): void {
  response.writeHead(status, headers)
  response.end(code === undefined ? '' : `<Error><Code>${code}</Code></Error>`)
}
