import { connect, type NetConnectOpts } from 'node:net'

/** What a client sends first (RFC 9113 §3.4). */
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** Types of frames (RFC 9113 §6). */
export const types = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const flags = { endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20 } as const

export function frame(
  type: number,
  flag: number,
  stream: number,
  payload: string | readonly number[] = [],
): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload) : Buffer.from(payload)
  const head = Buffer.alloc(9)
  head.writeUIntBE(bytes.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flag, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, bytes])
}

/** A field that no table remembers (RFC 7541 §6.2.2). `bytes`: the declared length of the value; both take less than 127. */
export const literal = (name: string, value: string, bytes = value.length): number[] => [
  ...[0x00, name.length, ...Buffer.from(name)],
  ...[bytes, ...Buffer.from(value)],
]

/** `:method: GET`, `:scheme: http`, `:path: /` and an authority. */
export const getFields: readonly number[] = [0x82, 0x86, 0x84, 0x01, 1, 0x61]

const isPing = (bytes: Buffer, at: number): boolean => bytes[at + 3] === types.ping
/** Frames that a server sends whatever the client does. */
const isOfItself = (type: number): boolean => type === types.settings || type === types.windowUpdate

/**
 * Sends a connection's first frames and a ping. Resolves with the frames that come until its answer or the end of the connection, each as its type, flags
 * and stream, and the beginning of what it says.
 */
export async function exchange(to: NetConnectOpts, bytes: Buffer): Promise<string[]> {
  const socket = connect(to)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let received = Buffer.alloc(0)
  const frames: string[] = []
  socket.on('error', () => undefined)
  socket.on('close', () => end())
  socket.on('data', (more: Buffer) => {
    received = Buffer.concat([received, more])
    while (received.length >= 9 && received.length >= 9 + received.readUIntBE(0, 3)) {
      if (isPing(received, 0)) return end()
      const [type = 0, flag] = received.subarray(3)
      const payload = received.subarray(9, 9 + received.readUIntBE(0, 3))
      const said = type === types.headers ? payload.subarray(0, 1) : payload.subarray(0, 8)
      const stream = received.readUInt32BE(5)
      if (!isOfItself(type)) frames.push(`${type}/${flag}/${stream} ${said.toString('hex')}`)
      received = received.subarray(9 + payload.length)
    }
  })
  socket.write(
    Buffer.concat([
      preface,
      frame(types.settings, 0, 0),
      bytes,
      frame(types.ping, 0, 0, '12345678'),
    ]),
  )
  await ended
  socket.destroy()
  return frames
}
