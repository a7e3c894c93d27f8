import { type Did, siteLabel } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import {
  type PdsAccount,
  putRecord,
  uploadBlob,
  type WrittenRecord,
} from '#tests/support/accounts.ts'

// Sites that another program writes, and what visitors get of them: no line of our publishing code.

export async function writeSite(
  account: PdsAccount,
  site: string,
  files: Readonly<Record<string, string>>,
): Promise<WrittenRecord> {
  const fields = await siteFields(account, site, files)
  return await putRecord(account, 'place.sitehost.fs', site, fields)
}

/** What a manifest and a version record have in common; uploads the files. */
export async function siteFields(
  account: PdsAccount,
  site: string,
  files: Readonly<Record<string, string>>,
) {
  const entries = []
  for (const [name, content] of Object.entries(files)) {
    const blob = await uploadBlob(account, content, 'text/html')
    entries.push({ name, node: { type: 'file', blob, mimeType: 'text/html' } })
  }
  const root = { type: 'directory', entries }
  return { site, root, createdAt: '2026-01-01T00:00:00.000Z' }
}

/** The address of a page of a site, on the service at `app` whose base domain is `localhost`. */
export function pageUrl(app: string, did: string, site: string, path = '/'): URL {
  const name = parseSiteName(site)
  if (name === null) throw new TypeError(`not a site name: ${site}`)
  const url = new URL(path, app)
  url.hostname = `${siteLabel({ did: did as Did, name })}.localhost`
  return url
}

/** The body of a page, or its status when that is not 200. */
export async function visit(url: URL): Promise<string | number> {
  const response = await fetch(url)
  const body = await response.text()
  return response.status === 200 ? body : response.status
}
