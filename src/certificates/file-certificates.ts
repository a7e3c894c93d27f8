import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import type { Log } from '#observe/log.ts'
import {
  type CertificateFiles,
  type FileCertificate,
  readCertificateFiles,
} from './certificate-files.ts'

const readEveryMs = 60_000

/** Certificates that something else renews, such as certbot. */
export class FileCertificates {
  readonly #files: readonly CertificateFiles[]
  #byName: ReadonlyMap<string, FileCertificate> = new Map()
  #version = 0

  constructor(files: readonly CertificateFiles[]) {
    this.#files = files
  }

  /** Rises when one of the files has changed. */
  get version(): number {
    return this.#version
  }

  /** `name`: a host or a wildcard. */
  find(name: string): FileCertificate | null {
    return this.#byName.get(name) ?? null
  }

  /** Each certificate once. */
  all(): readonly FileCertificate[] {
    return [...new Set(this.#byName.values())]
  }

  /** Reads all files again. Throws CertificateFileError, and then keeps what it has. */
  async read(): Promise<void> {
    const all = await Promise.all(this.#files.map(readCertificateFiles))
    const byName = new Map<string, FileCertificate>()
    for (const certificate of all)
      for (const name of certificate.names) byName.set(name, certificate)
    if (isSame(byName, this.#byName)) return
    this.#byName = byName
    this.#version += 1
  }

  /** Reads them every minute until the signal; what cannot be read is logged, and the last certificate counts. */
  run(loop: { readonly log: Log; readonly signal: AbortSignal }): Promise<void> {
    const rhythm = {
      everyMs: readEveryMs,
      firstAfterMs: readEveryMs,
      failure: 'certificate files not read',
    }
    return repeatEvery(rhythm, () => this.read(), loop)
  }
}

type ByName = ReadonlyMap<string, FileCertificate>

function isSame(one: ByName, other: ByName): boolean {
  if (one.size !== other.size) return false
  return [...one].every(([name, { chain, key }]) => {
    const before = other.get(name)
    return before?.chain === chain && before.key === key
  })
}
