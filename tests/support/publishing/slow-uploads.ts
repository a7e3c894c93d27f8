import { join } from 'node:path'
import { KeyRing } from '#api/session/key-ring.ts'
import { BrowserSessions } from '#api/session/sessions.ts'
import { parseDid } from '#site/site-address.ts'
import { openDatabase } from '#store/database/database.ts'
import { cookieHeader } from '#tests/support/api.ts'
import { removedSites } from '#tests/support/database/sample-rows.ts'

const boundary = 'slow-upload'
const chunksPerSecond = 5

export interface SlowUpload {
  readonly bytes: number
  readonly bytesPerSecond: number
}

export interface SlowUploadEnd {
  readonly status: number
  readonly retryAfter: string | null
  /** From the first byte to the answer. */
  readonly ms: number
}

/** `Cookie` headers of so many accounts that have had a site, whose sessions are written straight into the store. */
export async function signInWithoutNetwork(
  dataDir: string,
  secret: string,
  count: number,
): Promise<string[]> {
  await using database = openDatabase({ file: join(dataDir, 'sitehost.db') })
  const { db } = database
  const keys = new KeyRing([secret])
  const sessions = new BrowserSessions({ db, keys, secure: false, now: Date.now })
  const cookies: string[] = []
  for (let i = 0; i < count; i++) {
    const did = parseDid(`did:plc:${i.toString(26).replace(/\d/g, toLetter).padStart(24, '2')}`)
    if (did === null) throw new TypeError('not a DID')
    await db.insertInto('sites').values(removedSites(1, did)).execute()
    cookies.push(cookieHeader((await sessions.start(did)).cookies))
  }
  return cookies
}

/** Sends one file at this pace, and does not give up early. */
export async function uploadSlowly(
  app: string,
  cookie: string,
  { bytes, bytesPerSecond }: SlowUpload,
): Promise<SlowUploadEnd> {
  const head = Buffer.from(
    `--${boundary}\r\ncontent-disposition: form-data; name="siteName"\r\n\r\nslow\r\n` +
      `--${boundary}\r\ncontent-disposition: form-data; name="files"; filename="film.mp4"\r\n\r\n`,
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const { hostname, port } = new URL(app)
  const ended = Promise.withResolvers<string>()
  const start = performance.now()
  let answer = ''
  const socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      data(_, data) {
        answer += data.toString()
        if (answer.includes('\r\n\r\n')) ended.resolve(answer)
      },
      close: () => ended.resolve(answer),
      error: (_, error) => ended.reject(error),
    },
  })
  socket.write(
    `POST /sitehost/upload-files HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${cookie}\r\n` +
      `content-type: multipart/form-data; boundary=${boundary}\r\n` +
      `content-length: ${head.length + bytes + tail.length}\r\nconnection: close\r\n\r\n`,
  )
  socket.write(head)
  const chunk = Buffer.alloc(Math.floor(bytesPerSecond / chunksPerSecond), 'x')
  let sentBytes = 0
  const timer = setInterval(() => {
    if (answer !== '') return
    const leftBytes = bytes - sentBytes
    const piece = leftBytes > 0 ? chunk.subarray(0, leftBytes) : tail.subarray(-leftBytes)
    // What does not fit into the socket's buffer now is sent the next time.
    if (piece.length > 0) sentBytes += Math.max(0, socket.write(piece))
  }, 1000 / chunksPerSecond)
  try {
    const text = await ended.promise
    return {
      status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]),
      retryAfter: /^retry-after: (.*)\r$/im.exec(text)?.[1] ?? null,
      ms: performance.now() - start,
    }
  } finally {
    clearInterval(timer)
    socket.end()
  }
}

const toLetter = (digit: string): string => 'qrstuvwxyz'[Number(digit)] ?? 'z'
