import type { Log } from './log.ts'
import type { Service } from './log-entry.ts'

/** The same log for another part of the service. */
export function logOfService(log: Log, service: Service): Log {
  return {
    debug: (message, fields) => log.debug(message, { service, ...fields }),
    info: (message, fields) => log.info(message, { service, ...fields }),
    warn: (message, fields) => log.warn(message, { service, ...fields }),
    error: (message, fields) => log.error(message, { service, ...fields }),
    count: (event) => log.count?.(event),
  }
}
