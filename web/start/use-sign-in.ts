import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { ApiError, startSignIn } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'
import { keepBegunSignIn, keptSignIn, signInToBegin } from './begun-sign-in.ts'

export interface SignIn {
  readonly handle: string
  readonly setHandle: (handle: string) => void
  /** The page of ours to come back to, as the address says. */
  readonly returnTo: string | null
  readonly problem: string | null
  /** The browser is about to go to the account's server. */
  readonly isLeaving: boolean
  /** Gets the focus when there is a problem. */
  readonly field: RefObject<HTMLInputElement | null>
  readonly submit: (event: FormEvent) => Promise<void>
}

/** Signing in with the account's own server. `notice`: what went wrong before, shown until the next try. */
export function useSignIn(notice: string | null): SignIn {
  const [begun] = useState(() => signInToBegin(location.search, keptSignIn()))
  const { returnTo } = begun
  const [handle, setHandle] = useState(begun.handle)
  const [problem, setProblem] = useState(notice)
  const [isLeaving, setLeaving] = useState(false)
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    // The back button brings the page as it was left, with its button still waiting.
    const wake = () => setLeaving(false)
    addEventListener('pageshow', wake)
    return () => removeEventListener('pageshow', wake)
  }, [])

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setLeaving(true)
    setProblem(null)
    keepBegunSignIn({ handle, returnTo })
    try {
      location.assign(await startSignIn(handle.trim().replace(/^@/, ''), returnTo))
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : words.start.signIn.failed)
      setLeaving(false)
      field.current?.focus()
    }
  }

  return { handle, setHandle, returnTo, problem, isLeaving, field, submit }
}
