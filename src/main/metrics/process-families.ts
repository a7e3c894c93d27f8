import { readdir } from 'node:fs/promises'
import type { EventLoopDelay } from '#observe/event-loop-delay.ts'
import type { Family } from '#observe/metrics.ts'

const microsPerSecond = 1e6

/** The process under the names that every Prometheus client uses, and the event loops of its threads. */
export function processFamilies(
  version: string,
  eventLoops: () => Readonly<Record<string, EventLoopDelay>>,
): Family[] {
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
      help: 'How late timers ran, the worst of two minutes, by thread (main, ingest) and percentile.',
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
        return [{ value: (system + user) / microsPerSecond }]
      },
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Resident memory size in bytes.',
      kind: 'gauge',
      read: () => [{ value: process.memoryUsage.rss() }],
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
