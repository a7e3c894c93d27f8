import { account } from './de/account.ts'
import { ci } from './de/ci.ts'
import { dns } from './de/dns.ts'
import { domains } from './de/domains.ts'
import { explain } from './de/explain.ts'
import { fileEditor } from './de/file-editor.ts'
import { files } from './de/files.ts'
import { foreign } from './de/foreign.ts'
import { notFound } from './de/not-found.ts'
import { onboarding } from './de/onboarding.ts'
import { parts } from './de/parts.ts'
import { publish } from './de/publish.ts'
import { server } from './de/server.ts'
import { settings } from './de/settings.ts'
import { shell } from './de/shell.ts'
import { site } from './de/site.ts'
import { sites } from './de/sites.ts'
import { start } from './de/start.ts'
import { traffic } from './de/traffic.ts'
import { versions } from './de/versions.ts'
import { visits } from './de/visits.ts'
import { webhooks } from './de/webhooks.ts'
import type { Catalogue } from './en.ts'

export const de: Catalogue = {
  locale: 'de',
  account,
  ci,
  dns,
  domains,
  explain,
  fileEditor,
  files,
  foreign,
  notFound,
  onboarding,
  parts,
  publish,
  server,
  settings,
  shell,
  site,
  sites,
  start,
  traffic,
  versions,
  visits,
  webhooks,
}
