import { z } from 'zod'
import type { EdgeReport } from './edge-report.ts'

/** What the supervisor tells a process of its instance when it starts it. */
const supervisedSchema = z.object({
  /** `core`: the application and ingest, at a socket in the folder. `edge`: one of those that listen for visitors. */
  kind: z.enum(['core', 'edge']),
  /** Of the instance's own sockets; only its user may enter it. */
  folder: z.string(),
  /** Edge processes of the instance. */
  edges: z.number(),
})

export type Supervised = Readonly<z.infer<typeof supervisedSchema>>

export const supervisedArgument = (supervised: Supervised): string => JSON.stringify(supervised)

/** Null: the process has no supervisor. */
export function parseSupervised(argument: string | undefined): Supervised | null {
  return argument === undefined ? null : supervisedSchema.parse(JSON.parse(argument))
}

/** A process of the instance, as the supervisor knows it. */
export interface InstanceProcess {
  readonly kind: 'core' | 'edge'
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** How often its predecessors ended unexpectedly. */
  readonly restarts: number
}

export type WakeUpMessage = {
  readonly kind: 'wake-up'
  readonly topic: 'account' | 'changes' | 'site' | 'version'
}

export type ToProcess =
  | WakeUpMessage
  /** To an edge process: all new connections go to this one of the processes that listen, by its place; null: to all. */
  | { readonly kind: 'steer'; readonly place: number | null }
  /** Another process takes its place: it ends when its requests have. */
  | { readonly kind: 'retire' }
  /** To the core. */
  | { readonly kind: 'processes'; readonly processes: readonly InstanceProcess[] }
  | { readonly kind: 'report'; readonly pid: number; readonly report: EdgeReport }

export type FromProcess =
  | WakeUpMessage
  | { readonly kind: 'ready'; readonly ready: object }
  | { readonly kind: 'steered'; readonly isSteered: boolean }
  /** It gets no new connections any more. */
  | { readonly kind: 'unlistened' }
  | { readonly kind: 'report'; readonly report: EdgeReport }
