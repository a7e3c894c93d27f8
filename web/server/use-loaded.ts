import { useCallback, useEffect, useState } from 'react'
import { leaveIfSignedOut } from './session.ts'

export type Loaded<T> =
  | { readonly state: 'loading' }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'loaded'; readonly value: T }

/**
 * What `load` answers, and a function that asks it anew while the old answer stays on screen.
 * `load` must be the same function at every render. Leaves the page when the sign-in has ended.
 */
export function useLoaded<T>(load: () => Promise<T>): [Loaded<T>, () => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' })
  const reload = useCallback(() => {
    load().then(
      (value) => setLoaded({ state: 'loaded', value }),
      (error: unknown) => {
        if (!leaveIfSignedOut(error)) setLoaded({ state: 'failed', message: messageOf(error) })
      },
    )
  }, [load])
  useEffect(reload, [reload])
  return [loaded, reload]
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : 'Something went wrong. Reload the page.'
