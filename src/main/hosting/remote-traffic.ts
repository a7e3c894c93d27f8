import type { TrafficStore } from '#edge/shares/save-traffic.ts'
import type { Log } from '#observe/log.ts'
import type { SiteVisits } from '#store/sites/visits.ts'
import { UnansweredError, type WritingInstance } from './ask-as-edge.ts'

/** Of the names of visits that go in one question; the rest of it takes less. */
const visitBytesMax = 8 * 1024 * 1024

/** Stores counts through another instance. What that may have stored is not sent twice, and is lost if it has not. */
export function remoteTraffic(
  instance: Pick<WritingInstance, 'write'>,
  log: Pick<Log, 'warn'>,
): TrafficStore {
  return {
    async add(day, { traffic, visitors, visits: all }) {
      const visits = fitting(all)
      if (visits.length < all.length) {
        log.warn('visits lost: too many at a time', { rows: all.length - visits.length })
      }
      try {
        return await instance.write({
          kind: 'count',
          day,
          traffic: [...traffic],
          visits,
          visitors: visitors.map(({ did, site, sketch }) => ({
            did,
            site,
            sketch: sketch.encode(),
          })),
        })
      } catch (error) {
        if (!(error instanceof UnansweredError)) throw error
        const sites = traffic.filter(({ site }) => site !== '').length
        log.warn('traffic of sites lost: no answer', { sites, error })
        return null
      }
    },
    saltOf: (day) => instance.write({ kind: 'salt', day }),
  }
}

function fitting(visits: readonly SiteVisits[]): SiteVisits[] {
  let bytes = 0
  return visits.filter((visit) => {
    bytes += Buffer.byteLength(JSON.stringify(visit))
    return bytes <= visitBytesMax
  })
}
