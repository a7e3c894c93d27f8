import type { TierStats } from '#concurrency/memory-tier.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import type { RequestWindowData } from '#observe/request-window.ts'
import type { GaugePoint, RequestPoint } from '#observe/series.ts'

/** What the administrator's area reads of the running service. */
export interface Operations {
  readonly version: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly databaseBytes: () => Promise<number>
  /** When the last whole backup was made, in milliseconds; null: none is known. */
  readonly lastBackupAt: () => Promise<number | null>
  /** Of the disk of the data folder, in bytes. */
  readonly diskSpace: () => Promise<{ readonly free: number; readonly total: number }>
  /** Of the application. */
  readonly requests: Pick<RequestMetrics, 'minutes' | 'window'>
  /** Free bytes by the minute, oldest first. */
  readonly diskPoints: (windowMs: number) => readonly GaugePoint[]
  readonly hosting: Hosting
  readonly processes: () => readonly ServiceProcess[]
}

/** A process of this instance. */
export interface ServiceProcess {
  /** `core` and `edge`: the parts of an instance of several processes; `service`: all of one. */
  readonly kind: 'core' | 'edge' | 'service'
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** How often its predecessors ended unexpectedly. */
  readonly restarts: number
  /** Null: it has not said. */
  readonly residentBytes: number | null
}

/** The part that follows the network and answers visitors: in this process, or in another one. */
export interface Hosting {
  /** Null: it cannot be reached. */
  readonly metrics: (windowMs: number) => Promise<HostingMetrics | null>
  /** Null: it cannot be reached. */
  readonly cache: () => Promise<CacheStats | null>
}

export interface HostingMetrics {
  readonly requests: RequestWindowData
  readonly minutes: readonly RequestPoint[]
  /** Seconds, by the minute. */
  readonly ingestLag: readonly GaugePoint[]
  readonly firehose: {
    /** The longest time between an event and its being queued, in the last minute; null: not known. */
    readonly lagSeconds: number | null
    /** Age of the latest event that was read; null: none yet. */
    readonly lastEventSeconds: number | null
    readonly connected: boolean
  }
}

/** By tier. */
export type CacheStats = Readonly<Record<'snapshots' | 'bodies' | 'hosts', TierStats>>
