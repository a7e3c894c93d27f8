import type { RunningProcess } from './start-process.ts'
import type { ToProcess } from './supervisor-messages.ts'

/** Older ones are dropped. */
const reportsMax = 10_000

/** What edge processes report, until a core runs that takes it. */
export class WaitingReports {
  #reports: (ToProcess & { readonly kind: 'report' })[] = []

  add(report: ToProcess & { readonly kind: 'report' }): void {
    this.#reports.push(report)
    if (this.#reports.length > reportsMax) this.#reports.shift()
  }

  sendTo(core: RunningProcess | null): void {
    if (core === null || core.hasExited) return
    for (const report of this.#reports) core.send(report)
    this.#reports = []
  }
}
