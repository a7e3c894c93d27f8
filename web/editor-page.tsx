import { AccountCorner } from './account-corner.tsx'
import { listSites } from './api.ts'
import { PageFrame } from './page-frame.tsx'
import { Problem } from './problem.tsx'
import { SiteList } from './site-list.tsx'
import { Uploader } from './uploader.tsx'
import { useLoaded } from './use-loaded.ts'

/** `/editor`: someone's sites, and the way to publish one more or a new version. */
export function EditorPage() {
  const [sites, reload] = useLoaded(listSites)
  const siteNames = sites.state === 'loaded' ? sites.value.map(({ rkey }) => rkey) : []
  return (
    <PageFrame corner={<AccountCorner />} title="Your sites">
      <section aria-busy={sites.state === 'loading'} aria-labelledby="sites">
        <h1 id="sites">Your sites</h1>
        {sites.state === 'loading' && <p>Loading…</p>}
        {sites.state === 'failed' && <Problem>{sites.message}</Problem>}
        {sites.state === 'loaded' && <SiteList onLookedAgain={reload} sites={sites.value} />}
      </section>
      <Uploader onPublished={reload} siteNames={siteNames} title="Publish" />
    </PageFrame>
  )
}
