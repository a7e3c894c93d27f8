import { decodeCbor, endOfCbor } from '#atproto/repo/bounded-cbor.ts'

/** What an account's server says of all commits so far, from its own firehose. */
export async function commitsOf(pds: string, collection: string): Promise<Map<string, string[]>> {
  const url = new URL('/xrpc/com.atproto.sync.subscribeRepos?cursor=0', pds)
  url.protocol = 'ws:'
  const socket = new WebSocket(url)
  socket.binaryType = 'arraybuffer'
  /** CIDs of the records that were written, by `did/rkey`. */
  const commits = new Map<string, string[]>()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let quiet: Timer | undefined
  const rest = (): void => {
    clearTimeout(quiet)
    quiet = setTimeout(resolve, quietMs)
  }
  socket.onopen = rest
  socket.onerror = reject
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    rest()
    const frame = new Uint8Array(data)
    const bodyAt = endOfCbor(frame)
    const { t } = decodeCbor(frame.subarray(0, bodyAt)) as { t: string }
    if (t !== '#commit') return
    const { repo, ops } = decodeCbor(frame.subarray(bodyAt)) as Commit
    for (const { path, cid } of ops) {
      const [of, rkey] = path.split('/')
      if (of !== collection || cid === null) continue
      const key = `${repo}/${rkey}`
      commits.set(key, [...(commits.get(key) ?? []), JSON.stringify(cid)])
    }
  }
  await promise
  socket.close()
  return commits
}

/** A server that sends what it has does not pause for so long. */
const quietMs = 500

interface Commit {
  readonly repo: string
  readonly ops: readonly { readonly path: string; readonly cid: unknown }[]
}
