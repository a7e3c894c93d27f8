import { words } from '#web/words/words.ts'
import type { SampleProps } from './question.tsx'
import type { SettingsDraft } from './settings-draft.ts'

/** What visitors get at some addresses of a site, by a draft of its settings. `paths`: its files; null: unknown. */
export interface SampledSite {
  readonly host: string
  readonly paths: readonly string[] | null
}

type AddressDraft = Pick<SettingsDraft, 'cleanUrls' | 'trailingSlash'>

/** Of a page, and of the file that it is in. */
export function addressSamples(
  { cleanUrls, trailingSlash }: AddressDraft,
  { host, paths }: SampledSite,
): SampleProps[] {
  const file = paths?.find((path) => /^[^/]+(?<!^index)\.html$/.test(path)) ?? 'about.html'
  const clean = file.replace(/\.html$/, '') + (trailingSlash === 'always' ? '/' : '')
  if (!cleanUrls) return [{ address: `${host}/${file}`, result: file }]
  return [
    { address: `${host}/${clean}`, result: file },
    { address: `${host}/${file}`, isRedirect: true, result: `/${clean}` },
  ]
}

/** Of a folder. */
export function indexSample(
  { cleanUrls, trailingSlash, indexFiles }: AddressDraft & Pick<SettingsDraft, 'indexFiles'>,
  { host, paths }: SampledSite,
): SampleProps[] {
  const names = indexFiles
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const isShown = (path: string) => names.some((name) => path.endsWith(`/${name}`))
  const file = paths?.find(isShown) ?? `blog/${names[0] ?? ''}`
  if (names.length === 0) return []
  const slash = cleanUrls && trailingSlash === 'never' ? '' : '/'
  return [{ address: `${host}/${file.slice(0, file.lastIndexOf('/'))}${slash}`, result: file }]
}

/** Of a page that is not there. */
export function missingSample(
  { whenMissing, spaMode, custom404 }: Pick<SettingsDraft, 'whenMissing' | 'spaMode' | 'custom404'>,
  { host, paths }: SampledSite,
): SampleProps[] {
  const { missing } = words.settings
  const shown = { notFound: '404.html', custom404, spaMode, directoryListing: '404.html' }[
    whenMissing
  ]
  const isThere = paths === null || paths.includes(shown)
  const status = missing.andStatus(whenMissing === 'spaMode' && isThere ? 200 : 404)
  const page = {
    address: `${host}/missing`,
    result: isThere ? shown : missing.plainPage,
    note: status,
  }
  if (whenMissing !== 'directoryListing') return [page]
  return [{ address: `${host}/images/`, result: missing.listing }, page]
}
