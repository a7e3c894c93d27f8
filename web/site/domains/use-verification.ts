import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { type CustomDomain, verifyDomain } from '#web/server/api.ts'
import { refreshAddresses } from '#web/server/queries.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { problemOf } from '#web/shell/page-errors.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'

/** The account may look 100 times in ten minutes, in all its tabs. */
const lookAgainMs = 10_000
/** A page that was forgotten stops asking. */
const looksMax = 180

/** Looks for the records of a domain while the page is visible, until they are there. */
export function useVerification({ id, domain, verified, warning }: CustomDomain) {
  const client = useQueryClient()
  const [isChecking, setChecking] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const isBusy = useRef(false)
  const check = useCallback(async () => {
    if (isBusy.current) return
    isBusy.current = true
    setChecking(true)
    try {
      const answer = await verifyDomain(id)
      setProblem(answer.error)
      if (answer.verified && !verified) toast(words.dns.verified(domain))
      await refreshAddresses(client)
    } catch (error) {
      if (!leaveIfSignedOut(error)) {
        setProblem(problemOf(error))
      }
    } finally {
      isBusy.current = false
      setChecking(false)
    }
  }, [client, domain, id, verified])
  const isDone = verified && warning === null
  const looks = useRef(0)
  useEffect(() => {
    if (isDone) return
    const look = () => {
      if (document.visibilityState !== 'visible' || looks.current >= looksMax) return
      looks.current += 1
      void check()
    }
    const timer = setInterval(look, lookAgainMs)
    return () => clearInterval(timer)
  }, [check, isDone])
  return { isChecking, problem, check }
}
