import type { Certificate } from '#certificates/certificate.ts'
import type { FileCertificates } from '#certificates/file-certificates.ts'
import { WakeUp } from '#concurrency/wake-up.ts'
import type { RoutedHosts } from '#edge/names/route.ts'
import { nameInFiles, type OrderedCertificates } from '#main/service/open-certificates.ts'

interface Sources {
  readonly files: Pick<FileCertificates, 'find' | 'version'>
  /** Null: those of files are all. */
  readonly ordered: Pick<OrderedCertificates, 'changes' | 'placeOf' | 'read'> | null
}

/** Where a certificate is that seldom changes. Two places are the same certificate when all fields are equal. */
interface FixedPlace {
  readonly name: string
  readonly source: 'files' | 'ordered'
  readonly version: number
}

/** The certificates of the few names that change only when they are renewed: of the application, of the base domain and of what is below it. */
export class FixedCertificates {
  readonly #sources: Sources
  readonly #hosts: readonly string[]
  /** Woken when one was ordered. Those of files are seen when they are looked for. */
  readonly changes: WakeUp

  constructor(sources: Sources, { applicationHost, baseDomain }: RoutedHosts) {
    this.#sources = sources
    this.changes = sources.ordered?.changes ?? new WakeUp()
    // Any name below the base domain leads to its wildcard, if there is one.
    this.#hosts = [applicationHost, baseDomain, `sites.${baseDomain}`, `any.${baseDomain}`]
  }

  /** From memory. */
  places(): readonly FixedPlace[] {
    const byName = new Map<string, FixedPlace>()
    for (const host of this.#hosts) {
      const place = this.#placeOf(host)
      if (place !== null) byName.set(place.name, place)
    }
    return [...byName.values()]
  }

  /** Null: it is gone. */
  async read({ name, source }: FixedPlace): Promise<Certificate | null> {
    const { files, ordered } = this.#sources
    return source === 'files' ? files.find(name) : ((await ordered?.read(name)) ?? null)
  }

  #placeOf(host: string): FixedPlace | null {
    const { files, ordered } = this.#sources
    const name = nameInFiles(files, host)
    if (name !== null) return { name, source: 'files', version: files.version }
    const place = ordered?.placeOf(host) ?? null
    return place === null ? null : { ...place, source: 'ordered' }
  }
}
