import { useCallback } from 'react'
import { Problem } from '#web/parts/problem.tsx'
import { readSettings } from '#web/server/api.ts'
import { useLoaded } from '#web/server/use-loaded.ts'
import { SettingsForm } from './settings-form.tsx'

/** How a site is served, as its repository says now, and how to change that. */
export function SiteSettings({ id, rkey }: { id: string; rkey: string }) {
  const load = useCallback(() => readSettings(rkey), [rkey])
  const [loaded] = useLoaded(load)
  return (
    <div aria-busy={loaded.state === 'loading'} id={id}>
      {loaded.state === 'loading' && <p>Loading…</p>}
      {loaded.state === 'failed' && <Problem>{loaded.message}</Problem>}
      {loaded.state === 'loaded' && <SettingsForm record={loaded.value} rkey={rkey} />}
    </div>
  )
}
