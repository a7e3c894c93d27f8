import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'

// This module is also the script of the workers that hash large files, so that a page loads it once.

/** SHA-256 in lower-case hex, of a file of any size: a piece of it is in memory at a time. */
export async function sha256OfStream(blob: Blob): Promise<string> {
  const hash = sha256.create()
  for (let at = 0; at < blob.size; at += pieceBytes) {
    hash.update(new Uint8Array(await blob.slice(at, at + pieceBytes).arrayBuffer()))
  }
  return bytesToHex(hash.digest())
}

/** Some 10 ms of hashing, where it has to be done in the page. */
const pieceBytes = 1024 * 1024

export interface HashAnswer {
  readonly id: number
  /** Null: the file cannot be read. */
  readonly sha256: string | null
}

/** A worker that runs this module; null where there are none. */
export function startHashWorker(): Worker | null {
  return typeof Worker === 'function' && typeof document === 'object'
    ? new Worker(import.meta.url, { type: 'module' })
    : null
}

if (typeof document === 'undefined' && 'WorkerGlobalScope' in globalThis) {
  addEventListener('message', ({ data }: MessageEvent<{ id: number; blob: Blob }>) => {
    const answer = (sha256: string | null) => postMessage({ id: data.id, sha256 })
    void sha256OfStream(data.blob).then(answer, () => answer(null))
  })
}
