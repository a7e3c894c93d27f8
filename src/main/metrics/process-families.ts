import { readdir } from 'node:fs/promises'
import type { EdgeProcesses } from '#main/supervisor/edge-processes.ts'
import type { EventLoopDelay } from '#observe/event-loop-delay.ts'
import type { Family } from '#observe/metrics.ts'

const microsPerSecond = 1e6

interface ProcessOptions {
  readonly version: string
  /** Whose time and memory count, too; null: there are none. */
  readonly edges: EdgeProcesses | null
  readonly eventLoops: () => Readonly<Record<string, EventLoopDelay>>
}

/** The process under the names that every Prometheus client uses, and the event loops of its threads. */
export function processFamilies({ edges, eventLoops, version }: ProcessOptions): Family[] {
  const startedAt = Math.floor(Date.now() / 1000 - process.uptime())
  return [
    {
      name: 'sitehost_build_info',
      help: 'Always 1, with the version.',
      kind: 'gauge',
      read: () => [{ labels: { version }, value: 1 }],
    },
    {
      name: 'sitehost_event_loop_delay_seconds',
      help: 'How late timers ran, the worst of two minutes, by thread (main, ingest; edge: the worst of its processes) and percentile.',
      kind: 'gauge',
      read: () =>
        Object.entries(eventLoops()).flatMap(([thread, { max, p50, p99 }]) => [
          { labels: { thread, percentile: '50' }, value: p50 },
          { labels: { thread, percentile: '99' }, value: p99 },
          { labels: { thread, percentile: '100' }, value: max },
        ]),
    },
    {
      name: 'process_cpu_seconds_total',
      help: 'User and system CPU time spent in seconds.',
      kind: 'counter',
      read() {
        const { system, user } = process.cpuUsage()
        return [{ value: (system + user + (edges?.cpuMicros ?? 0)) / microsPerSecond }]
      },
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory size in bytes.',
      kind: 'gauge',
      read: () => [{ value: residentBytes(edges) }],
    },
    {
      name: 'sitehost_processes',
      help: 'Processes of this instance that run, by kind (core, edge; service: one that is both).',
      kind: 'gauge',
      read: () => [...countOf(edges)].map(([kind, value]) => ({ labels: { kind }, value })),
    },
    {
      name: 'sitehost_process_restarts_total',
      help: 'Processes of this instance that ended unexpectedly and were started again.',
      kind: 'counter',
      read: () => [{ value: edges?.list.reduce((sum, { restarts }) => sum + restarts, 0) ?? 0 }],
    },
    {
      name: 'process_start_time_seconds',
      help: 'Start time of the process since unix epoch in seconds.',
      kind: 'gauge',
      read: () => [{ value: startedAt }],
    },
    {
      name: 'process_open_fds',
      help: 'Number of open file descriptors.',
      kind: 'gauge',
      read: async () => [{ value: (await readdir('/proc/self/fd')).length }],
    },
    {
      name: 'process_max_fds',
      help: 'Maximum number of open file descriptors.',
      kind: 'gauge',
      async read() {
        const limits = await Bun.file('/proc/self/limits').text()
        return [{ value: Number(/^Max open files +(\d+)/m.exec(limits)?.[1]) }]
      },
    },
  ]
}

const residentBytes = (edges: EdgeProcesses | null): number =>
  edges === null || edges.list.length === 0
    ? process.memoryUsage.rss()
    : edges.list.reduce((sum, { residentBytes }) => sum + (residentBytes ?? 0), 0)

function countOf(edges: EdgeProcesses | null): Map<string, number> {
  const counts = new Map<string, number>(edges === null ? [['service', 1]] : [])
  for (const { kind } of edges?.list ?? []) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return counts
}
