import { account } from './en/account.ts'
import { domains } from './en/domains.ts'
import { notFound } from './en/not-found.ts'
import { onboarding } from './en/onboarding.ts'
import { parts } from './en/parts.ts'
import { publish } from './en/publish.ts'
import { server } from './en/server.ts'
import { settings } from './en/settings.ts'
import { shell } from './en/shell.ts'
import { site } from './en/site.ts'
import { start } from './en/start.ts'
import { versions } from './en/versions.ts'

export const en = {
  locale: 'en',
  account,
  domains,
  notFound,
  onboarding,
  parts,
  publish,
  server,
  settings,
  shell,
  site,
  start,
  versions,
}

/** What each language has to say. A missing sentence is a type error. */
export type Catalogue = typeof en
