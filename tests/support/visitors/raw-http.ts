import { connect } from 'node:net'

export interface RawResponse {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** As it was sent: chunks and all. */
  readonly body: Buffer
}

/**
 * Writes exactly these bytes to a server of ours, all of them before it looks at what came back, and
 * reads until the answer's length is complete or the server closes. Rejects when the connection breaks.
 */
export function rawRequest(port: number, ...parts: readonly (string | Uint8Array)[]) {
  return new Promise<RawResponse>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const chunks: Uint8Array[] = []
    let isWritten = false
    const look = (): void => {
      if (isWritten && isComplete(responseOf(Buffer.concat(chunks)))) socket.destroy()
    }
    socket.on('data', (chunk: Uint8Array) => {
      chunks.push(chunk)
      look()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(responseOf(Buffer.concat(chunks))))
    for (const part of parts) socket.write(part)
    socket.write('', () => {
      isWritten = true
      look()
    })
  })
}

function isComplete({ status, headers, body }: RawResponse): boolean {
  const length = headers['content-length']
  return status > 0 && length !== undefined && body.length >= Number(length)
}

function responseOf(bytes: Buffer): RawResponse {
  const end = bytes.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = bytes.subarray(0, Math.max(end, 0)).toString().split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return {
    status: Number(statusLine.split(' ')[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: bytes.subarray(end + 4),
  }
}
