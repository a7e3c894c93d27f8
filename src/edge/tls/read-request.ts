import { isAscii } from 'node:buffer'
import { isHost } from '#edge/names/route.ts'

/** A request for a page or a file, without a body, whose connection is kept. */
export interface PlainRequest {
  /** Path and query, as they were sent. */
  readonly target: string
  readonly fields: [name: string, value: string][]
}

const headEnd = '\r\n\r\n'

/** Longer heads are read by the inner server. */
const headBytesMax = 16_384

/**
 * Reads the bytes as one GET request of HTTP/1.1 for this host (canonical). Null if they are anything else, however slight the
 * difference: a part of a request or several, another method, a body, an upgrade, a connection that is to end, another host, or a mistake.
 */
export type ReadRequest = (bytes: Buffer, host: string) => PlainRequest | null

/** Node's parser, llhttp, as Bun has it for `node:_http_common` (Bun 1.4.5). */
interface HttpParser {
  initialize(kind: number, resource: object, headBytesMax: number): void
  /** How many bytes were read, or an Error. */
  execute(bytes: Uint8Array): number | Error
  [callback: number]: unknown
}

interface HttpParserBinding {
  readonly HTTPParser: {
    new (): HttpParser
    readonly REQUEST: number
    readonly kOnHeadersComplete: number
  }
  readonly allMethods: readonly string[]
}

type OnHeadersComplete = (
  major: number,
  minor: number,
  /** Names and values in turn; absent from the 32nd pair on. */
  fields: readonly string[] | undefined,
  method: number,
  target: string,
  status: undefined,
  statusText: undefined,
  isUpgrade: boolean,
  isKept: boolean,
) => number

/** Null where Bun has no such parser. */
export function requestReader(): ReadRequest | null {
  const { HTTPParser, allMethods } = binding() ?? {}
  if (HTTPParser === undefined || allMethods === undefined) return null
  const get = allMethods.indexOf('GET')
  const parser = new HTTPParser()
  let heads = 0
  let isPlain = false
  let target = ''
  let list: readonly string[] = []
  const onHeadersComplete: OnHeadersComplete = (
    major,
    minor,
    fields,
    method,
    path,
    _,
    __,
    isUpgrade,
    isKept,
  ) => {
    heads++
    isPlain = major === 1 && minor === 1 && method === get && !isUpgrade && isKept
    target = path
    list = fields ?? []
    return 0
  }
  parser[HTTPParser.kOnHeadersComplete] = onHeadersComplete
  return (bytes, host) => {
    // The parser's own limit does not count all of them.
    if (bytes.length > headBytesMax) return null
    // What Bun's server makes of other characters is not written down.
    if (!isAscii(bytes)) return null
    // The parser also reads the beginning of a next request, and says nothing of it.
    if (bytes.indexOf(headEnd) !== bytes.length - headEnd.length) return null
    heads = 0
    parser.initialize(HTTPParser.REQUEST, {}, headBytesMax)
    const read = parser.execute(bytes)
    if (read !== bytes.length || heads !== 1 || !isPlain) return null
    if (!target.startsWith('/') || target.includes('#')) return null
    // It is lenient about spaces and about line breaks in front, and Bun's server is not.
    const line = `GET ${target} HTTP/1.1\r\n`
    if (bytes.toString('latin1', 0, line.length) !== line) return null
    const fields = fieldsFor(host, list)
    return fields === null ? null : { target, fields }
  }
}

/** Null: for another host, or with a body or an expectation. */
function fieldsFor(host: string, list: readonly string[]): PlainRequest['fields'] | null {
  const fields: PlainRequest['fields'] = []
  let hosts = 0
  for (let at = 0; at + 1 < list.length; at += 2) {
    const name = (list[at] as string).toLowerCase()
    const value = list[at + 1] as string
    if (needsServer.has(name)) return null
    if (name === 'host') {
      if (!isHost(value, host)) return null
      hosts++
    }
    fields.push([name, value])
  }
  return hosts === 1 ? fields : null
}

const needsServer = new Set(['content-length', 'expect', 'transfer-encoding'])

function binding(): HttpParserBinding | null {
  try {
    return process.binding('http_parser') as HttpParserBinding
  } catch {
    return null
  }
}
