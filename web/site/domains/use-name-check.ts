import { useEffect, useState } from 'react'
import { checkName } from '#web/server/api.ts'
import { labelProblem } from './label-problem.ts'

/** Somebody who types should not ask at each letter. */
const quietMs = 300

export type NameCheck =
  | { readonly state: 'none' | 'checking' | 'reserved' | 'unknown' }
  | { readonly state: 'problem'; readonly problem: string }
  | { readonly state: 'free'; readonly domain: string }
  | { readonly state: 'taken'; readonly domain: string; readonly free: readonly string[] }

/** Whether a label can be claimed, as it is typed; of a taken one, some that are free. */
export function useNameCheck(label: string): NameCheck {
  const [check, setCheck] = useState<NameCheck>({ state: 'none' })
  useEffect(() => {
    const problem = labelProblem(label)
    if (label === '') return setCheck({ state: 'none' })
    if (problem !== null) return setCheck({ state: 'problem', problem })
    setCheck({ state: 'checking' })
    let isCurrent = true
    const timer = setTimeout(() => {
      void ask(label).then((found) => isCurrent && setCheck(found))
    }, quietMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [label])
  return check
}

async function ask(label: string): Promise<NameCheck> {
  try {
    const found = await checkName(label)
    if (found.available) return { state: 'free', domain: found.domain }
    if (found.reason === 'invalid') return { state: 'reserved' }
    return { state: 'taken', domain: found.domain, free: await freeLike(label) }
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
