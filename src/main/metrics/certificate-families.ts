import type { CertificateStates } from '#certificates/certificate-states.ts'
import { cachedRead } from '#concurrency/cached-read.ts'
import type { Family } from '#observe/metrics.ts'
import { certificateProblems, certificateStates } from '#site/certificate-state.ts'
import { boundedRead } from './bounded-read.ts'

/** The certificates that this service shows; no samples where a TLS front keeps them (null). */
export function certificateFamilies(
  certificates: Pick<CertificateStates, 'totals'> | null,
): Family[] {
  // A hundred thousand are read in the thread of visitors on SQLite.
  const read = cachedRead(async () => (await certificates?.totals()) ?? null)
  const totals = boundedRead('certificates', read)
  return [
    {
      name: 'sitehost_certificates',
      help: 'Certificates by state; those of released names stay until they expire.',
      kind: 'gauge',
      async read() {
        const found = await totals()
        if (found === null) return []
        return certificateStates.map((state) => ({
          labels: { state },
          value: found.states[state],
        }))
      },
    },
    {
      name: 'sitehost_certificate_problems',
      help: 'Certificates that are not issued, or not renewed, by why.',
      kind: 'gauge',
      async read() {
        const found = await totals()
        if (found === null) return []
        return certificateProblems.map((problem) => ({
          labels: { problem },
          value: found.problems.get(problem) ?? 0,
        }))
      },
    },
    {
      name: 'sitehost_certificate_expiry_timestamp_seconds',
      help: 'When the first certificate expires of those that are valid and kept.',
      kind: 'gauge',
      async read() {
        const soonestExpiry = (await totals())?.soonestExpiry ?? null
        return soonestExpiry === null ? [] : [{ value: soonestExpiry / 1000 }]
      },
    },
  ]
}
