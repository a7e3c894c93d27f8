import { useState } from 'react'
import { problemOf } from '#web/shell/page-errors.ts'
import { leaveIfSignedOut } from './session.ts'

export interface Action {
  readonly isBusy: boolean
  /** Why the last try did not work, or null. */
  readonly problem: string | null
  /** Runs `work`, unless it runs already. True when it did what it was for. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>
  readonly setProblem: (problem: string | null) => void
}

/** Something that a button does: one at a time, and what went wrong is a sentence. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const run = async (work: () => Promise<unknown>): Promise<boolean> => {
    if (isBusy) return false
    setBusy(true)
    setProblem(null)
    try {
      await work()
      return true
    } catch (error) {
      if (!leaveIfSignedOut(error)) {
        setProblem(problemOf(error))
      }
      return false
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, problem, run, setProblem }
}
