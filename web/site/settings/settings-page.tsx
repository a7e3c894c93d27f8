import { Page } from '#web/shell/page.tsx'
import type { PageProps } from '#web/shell/router.ts'
import { words } from '#web/words/words.ts'
import { SiteSettings } from './site-settings.tsx'

/** `/sites/:rkey/settings`: how a site is served. */
export default function SettingsPage({ params: { rkey = '' } }: PageProps) {
  return (
    <Page title={`${words.settings.title} · ${rkey}`}>
      <SiteSettings id="settings" rkey={rkey} />
    </Page>
  )
}
