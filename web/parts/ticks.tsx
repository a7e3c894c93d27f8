import { Check, X } from 'lucide-react'
import { words } from '#web/words/words.ts'
import { Icon } from './icon.tsx'
import styles from './ticks.module.css'

export type TickState = 'waiting' | 'running' | 'done' | 'failed'

export interface Tick {
  readonly name: string
  readonly state: TickState
  /** Such as `12 of 40 files`. */
  readonly note?: string
}

interface TicksProps {
  readonly ticks: readonly Tick[]
  /** For rows: without lines, and as wide as it needs. */
  readonly isSmall?: boolean
}

/** How far something is that takes steps: a mark and a word for each, in one row. */
export function Ticks({ ticks, isSmall = false }: TicksProps) {
  return (
    <ol className={styles['ticks']} data-small={isSmall || undefined}>
      {ticks.map(({ name, state, note }) => (
        <li className={styles['tick']} data-state={state} key={name}>
          <span className={styles['mark']}>
            {state === 'done' && <Icon of={Check} />}
            {state === 'failed' && <Icon of={X} />}
          </span>
          <span>
            {name}
            <span className="visually-hidden">: {words.parts.tickStates[state]}</span>
            {note !== undefined && <span className={styles['note']}>{note}</span>}
          </span>
        </li>
      ))}
    </ol>
  )
}

/** The three steps of a publish, by the one that runs; `null`: all are done. */
export function publishTicks(
  current: 'read' | 'send' | 'live' | null,
  { note, hasFailed = false }: { readonly note?: string; readonly hasFailed?: boolean } = {},
): Tick[] {
  const steps = ['read', 'send', 'live'] as const
  const at = current === null ? steps.length : steps.indexOf(current)
  return steps.map((step, index): Tick => {
    const name = words.parts.ticks[step]
    if (index < at) return { name, state: 'done' }
    if (index > at) return { name, state: 'waiting' }
    return { name, state: hasFailed ? 'failed' : 'running', ...(note !== undefined && { note }) }
  })
}
