import { wholeBodyBytesMax } from '#site/limits.ts'

/** Answers of fewer bytes are sent as they are. */
const unpacedBytesMax = 4_096
export const pieceBytes = 65_536

interface Pace {
  /** Of a HEAD: it has no body, whatever its length. */
  readonly isHead: boolean
  /** How long a client may take for a piece. */
  readonly stallMsMax: number
  /** The body is sent, or will not be. */
  readonly onEnd: (reason: BodyEnd) => void
}

/** `stalled`: the client has taken nothing for too long. */
export type BodyEnd = 'sent' | 'stalled' | 'cancelled' | 'failed'

/**
 * The same answer, sent in pieces: the next one is made when the client has taken the last. Over QUIC, Bun copies a body in memory whole
 * for each client that has not taken it yet, and lets clients take nothing for as long as they stay connected (Bun 1.4.5).
 */
export async function paced(
  answer: Response,
  { isHead, onEnd, stallMsMax }: Pace,
): Promise<Response> {
  const length = Number(answer.headers.get('content-length') ?? Number.POSITIVE_INFINITY)
  const pieces = isHead || length <= unpacedBytesMax ? null : await piecesOf(answer, length)
  if (pieces === null) {
    onEnd('sent')
    return answer
  }
  const { headers, status } = answer
  return new Response(pacedStream(pieces, { onEnd, stallMsMax }), { headers, status })
}

/** Null: there is no body. */
async function piecesOf(answer: Response, length: number): Promise<Pieces | null> {
  // A look at `body` would make a stream of what is in memory.
  if (length <= wholeBodyBytesMax) return piecesOfBlob(await answer.blob())
  return answer.body && piecesOfStream(answer.body)
}

type Pieces = AsyncGenerator<Uint8Array>

async function* piecesOfBlob(body: Blob): Pieces {
  for (let at = 0; at < body.size; at += pieceBytes) {
    yield await body.slice(at, at + pieceBytes).bytes()
  }
}

async function* piecesOfStream(body: ReadableStream<Uint8Array>): Pieces {
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes)
  }
}

function pacedStream(
  pieces: Pieces,
  { onEnd, stallMsMax }: Pick<Pace, 'onEnd' | 'stallMsMax'>,
): ReadableStream<Uint8Array> {
  let timer: Timer | undefined
  const end = (reason: BodyEnd): void => {
    clearTimeout(timer)
    onEnd(reason)
  }
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      clearTimeout(timer)
      try {
        const { done = false, value } = await pieces.next()
        if (done || value === undefined) {
          controller.close()
          return end('sent')
        }
        controller.enqueue(value)
      } catch (error) {
        controller.error(error)
        return end('failed')
      }
      timer = setTimeout(() => {
        void pieces.return(undefined)
        controller.error(new BodyStalledError(stallMsMax))
        end('stalled')
      }, stallMsMax)
    },
    async cancel() {
      end('cancelled')
      await pieces.return(undefined)
    },
  }
  return new ReadableStream(source, { highWaterMark: 0 })
}

class BodyStalledError extends Error {
  override readonly name = 'BodyStalledError'

  constructor(ms: number) {
    super(`a client has taken nothing of its answer; ms=${ms}`)
  }
}
