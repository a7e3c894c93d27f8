import type { HashAnswer } from './sha256-stream.ts'

/** Workers use a processor each. */
const workersMax = 4

interface Waiting {
  readonly resolve: (sha256: string) => void
  readonly reject: (error: Error) => void
}

/** Hashes large files in workers, which start with the first one; in the page itself where there are none. */
export class HashWorkers {
  readonly #waiting = new Map<number, Waiting>()
  #workers: Promise<readonly Worker[]> | null = null
  #next = 0

  /** Throws when the file cannot be read. */
  async hash(blob: Blob): Promise<string> {
    const stream = await import('./sha256-stream.ts')
    this.#workers ??= Promise.resolve(this.#start(stream.startHashWorker))
    const workers = await this.#workers
    const id = this.#next++
    const worker = workers[id % workers.length]
    if (worker === undefined) return await stream.sha256OfStream(blob)
    return await new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      worker.postMessage({ id, blob })
    })
  }

  dispose(): void {
    void this.#workers?.then((workers) => {
      for (const worker of workers) worker.terminate()
    })
    for (const { reject } of this.#waiting.values()) reject(new Error('hashing ended'))
  }

  #start(start: () => Worker | null): Worker[] {
    const count = Math.max(1, Math.min(workersMax, (navigator.hardwareConcurrency ?? 2) - 1))
    return Array.from({ length: count }, start).flatMap((worker) => {
      if (worker === null) return []
      worker.addEventListener('message', ({ data }: MessageEvent<HashAnswer>) => this.#end(data))
      worker.addEventListener('error', () => this.#failAll())
      return [worker]
    })
  }

  #end({ id, sha256 }: HashAnswer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (sha256 === null) waiting?.reject(new Error('the file cannot be read'))
    else waiting?.resolve(sha256)
  }

  #failAll(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('a worker failed'))
    this.#waiting.clear()
  }
}
