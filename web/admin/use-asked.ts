import { useCallback, useEffect, useState } from 'react'
import { messageOf } from './admin-session.ts'

export interface Asked<T> {
  /** The last answer; it stays while the next one is on its way. Null: none yet. */
  readonly value: T | null
  /** Why the last question has no answer. */
  readonly problem: string | null
  readonly isLoading: boolean
}

/**
 * What `ask` answers, and a function that asks again. Asks anew whenever `ask` is another function; an answer to
 * an earlier question is dropped.
 */
export function useAsked<T>(ask: () => Promise<T>): [Asked<T>, () => void] {
  const [asked, setAsked] = useState<Asked<T>>({ value: null, problem: null, isLoading: true })
  const [again, setAgain] = useState({})
  useEffect(() => {
    let isCurrent = again !== null
    setAsked(({ value, problem }) => ({ value, problem, isLoading: true }))
    ask().then(
      (value) => isCurrent && setAsked({ value, problem: null, isLoading: false }),
      (error: unknown) => {
        const problem = messageOf(error)
        if (isCurrent) setAsked(({ value }) => ({ value, problem, isLoading: false }))
      },
    )
    return () => {
      isCurrent = false
    }
  }, [ask, again])
  return [asked, useCallback(() => setAgain({}), [])]
}

/** Calls `act` every `periodMs` while the page is visible; null: not at all. */
export function useEvery(periodMs: number | null, act: () => void): void {
  useEffect(() => {
    if (periodMs === null) return
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') act()
    }, periodMs)
    return () => clearInterval(timer)
  }, [periodMs, act])
}
