import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { ApiError, startSignIn } from '#web/server/api.ts'
import type { Notice } from '#web/server/session.ts'
import { words } from '#web/words/words.ts'
import { isBackAgain, keepBegunSignIn, keptSignIn, signInToBegin } from './begun-sign-in.ts'

export interface SignIn {
  readonly handle: string
  readonly setHandle: (handle: string) => void
  /** The page of ours to come back to, as the address says. */
  readonly returnTo: string | null
  readonly problem: string | null
  /** Why the last sign-in did not work, whatever the field has, until the next try; or null. */
  readonly warning: string | null
  /** The browser is about to go to the account's server. */
  readonly isLeaving: boolean
  /** Gets the focus when there is a problem. */
  readonly field: RefObject<HTMLInputElement | null>
  /** At this server, or with this handle. */
  readonly begin: (at: string) => Promise<void>
  readonly submit: (event: FormEvent) => void
}

interface SignInOptions {
  /** What this page was opened to tell. */
  readonly notice: Notice | null
  /** Awaited before the browser leaves. `account`: the handle or DID that was entered; null: a server's address. */
  readonly onLeaving: (account: string | null) => Promise<void>
}

/** Signing in with the account's own server. */
export function useSignIn({ notice, onLeaving }: SignInOptions): SignIn {
  const [begun, setBegun] = useState(() => signInToBegin(location.search, keptSignIn()))
  const { returnTo } = begun
  const [handle, setHandle] = useState(begun.handle)
  const [problem, setProblem] = useState(notice?.kind === 'problem' ? notice.text : null)
  const [warning, setWarning] = useState(notice?.kind === 'warning' ? notice.text : null)
  const [isLeaving, setLeaving] = useState(false)
  const field = useRef<HTMLInputElement>(null)

  useEffect(() => {
    // The back button brings the page as it was left, with its button still waiting.
    const wake = () => setLeaving(false)
    addEventListener('pageshow', wake)
    return () => removeEventListener('pageshow', wake)
  }, [])

  useEffect(() => {
    if (!isBackAgain()) return
    const before = signInToBegin(location.search, keptSignIn(), true)
    setBegun(before)
    setHandle((typed) => typed || before.handle)
  }, [])

  const begin = async (at: string) => {
    setLeaving(true)
    setProblem(null)
    setWarning(null)
    keepBegunSignIn({ handle, returnTo })
    try {
      const entered = at.trim().replace(/^@/, '')
      const url = await startSignIn(entered, returnTo)
      await onLeaving(entered.includes('://') ? null : entered)
      location.assign(url)
    } catch (error) {
      setProblem(error instanceof ApiError ? error.message : words.start.signIn.failed)
      setLeaving(false)
      field.current?.focus()
    }
  }

  const submit = (event: FormEvent) => {
    event.preventDefault()
    void begin(handle)
  }

  return { handle, setHandle, returnTo, problem, warning, isLeaving, field, begin, submit }
}
