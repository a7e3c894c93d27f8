import { account } from './en/account.ts'
import { ci } from './en/ci.ts'
import { dns } from './en/dns.ts'
import { domains } from './en/domains.ts'
import { explain } from './en/explain.ts'
import { fileEditor } from './en/file-editor.ts'
import { files } from './en/files.ts'
import { foreign } from './en/foreign.ts'
import { onboarding } from './en/onboarding.ts'
import { settings } from './en/settings.ts'
import { site } from './en/site.ts'
import { sites } from './en/sites.ts'
import { traffic } from './en/traffic.ts'
import { versions } from './en/versions.ts'
import { visits } from './en/visits.ts'
import { webhooks } from './en/webhooks.ts'

/** What only pages of an account say: part of the chunk that those share. */
export const enOwn = {
  account,
  ci,
  dns,
  domains,
  explain,
  fileEditor,
  files,
  foreign,
  onboarding,
  settings,
  site,
  sites,
  traffic,
  versions,
  visits,
  webhooks,
}
