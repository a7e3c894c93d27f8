import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { checkName } from '#web/server/api.ts'
import { namesQuery } from '#web/server/queries.ts'
import { labelProblem } from './label-problem.ts'

/** Somebody who types should not ask at each letter. */
const quietMs = 300

export type NameCheck =
  | { readonly state: 'none' | 'checking' | 'reserved' | 'unknown' | 'yours' }
  | { readonly state: 'problem'; readonly problem: string }
  | { readonly state: 'free'; readonly domain: string }
  | { readonly state: 'taken'; readonly domain: string; readonly free: readonly string[] }

/** Whether a label can be claimed, as it is typed; of a taken one, some that are free. */
export function useNameCheck(label: string): NameCheck {
  const client = useQueryClient()
  const [check, setCheck] = useState<NameCheck>({ state: 'none' })
  useEffect(() => {
    const problem = labelProblem(label)
    if (label === '') return setCheck({ state: 'none' })
    if (problem !== null) return setCheck({ state: 'problem', problem })
    setCheck({ state: 'checking' })
    let isCurrent = true
    const timer = setTimeout(() => {
      void ask(label, client).then((found) => isCurrent && setCheck(found))
    }, quietMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [client, label])
  return check
}

async function ask(label: string, client: QueryClient): Promise<NameCheck> {
  try {
    const found = await checkName(label)
    if (found.available) return { state: 'free', domain: found.domain }
    if (found.reason === 'invalid') return { state: 'reserved' }
    const { sitehostDomains } = await client.ensureQueryData(namesQuery)
    if (sitehostDomains.some(({ domain }) => domain === found.domain)) return { state: 'yours' }
    return { state: 'taken', domain: found.domain, free: await freeLike(label.toLowerCase()) }
  } catch {
    // Pressing the button says what is wrong.
    return { state: 'unknown' }
  }
}

async function freeLike(label: string): Promise<string[]> {
  const candidates = [`${label}-site`, `my-${label}`, `${label}-online`].filter(
    (each) => labelProblem(each) === null,
  )
  const checks = await Promise.all(
    candidates.map(async (each) => ((await checkName(each)).available ? [each] : [])),
  )
  return checks.flat()
}
