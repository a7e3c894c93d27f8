import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import type { Site } from '#api/contract/client.ts'
import { Problem } from '#web/parts/problem.tsx'
import { Told } from '#web/parts/told.tsx'
import { Uploader } from '#web/publish/uploader.tsx'
import { listSites } from '#web/server/api.ts'
import { keys } from '#web/server/queries.ts'
import { useLoaded } from '#web/server/use-loaded.ts'
import { Page } from '#web/shell/page.tsx'
import { SiteList } from './site-list.tsx'

/** `/editor`: someone's sites, and the way to publish one more or a new version. */
export default function SitesPage() {
  const client = useQueryClient()
  const [loaded, load] = useLoaded(listSites)
  const reload = useCallback(() => {
    load()
    void client.invalidateQueries({ queryKey: keys.sites })
  }, [client, load])
  const [told, setTold] = useState('')
  const [deleted, setDeleted] = useState<readonly string[]>([])
  const onChanged = useCallback(
    (what: string) => {
      setTold(what)
      reload()
    },
    [reload],
  )
  const onDeleted = (site: Site, what: string) => {
    setDeleted((before) => [...before, stateOf(site)])
    onChanged(what)
  }
  // Its record is gone; the service's own list learns it a moment later.
  const sites =
    loaded.state === 'loaded' ? loaded.value.filter((site) => !deleted.includes(stateOf(site))) : []
  return (
    <Page title="Your sites">
      <section aria-busy={loaded.state === 'loading'} aria-labelledby="sites">
        <h1 id="sites">Your sites</h1>
        <Told loaded={loaded} text={told} />
        {loaded.state === 'loading' && <p>Loading…</p>}
        {loaded.state === 'failed' && <Problem>{loaded.message}</Problem>}
        {loaded.state === 'loaded' && (
          <SiteList onChanged={onChanged} onDeleted={onDeleted} sites={sites} />
        )}
      </section>
      <Uploader
        onPublished={reload}
        siteNames={loaded.state === 'loaded' ? sites.map(({ rkey }) => rkey) : null}
        title="Publish"
      />
    </Page>
  )
}

/** The same until the site is published anew, also where it is refused and has no CID. */
const stateOf = ({ rkey, cid, updatedAt }: Site): string => `${rkey} ${cid ?? updatedAt}`
