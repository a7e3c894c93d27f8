import { gzipSync } from 'node:zlib'
import { type Did, siteLabel } from '#site/site-address.ts'
import { parseAnySiteName } from '#site/site-name.ts'
import { type PdsAccount, putRecord, uploadBlob } from '#tests/support/accounts.ts'

// Sites as the tools of the network place.wisp write them, after its published lexicons: no line of our code.

const createdAt = '2026-01-02T03:04:05.678Z'

/** How a file is stored: `gzip` at application/octet-stream, as its tools do now; `base64` of that, as they once did. */
type Stored = 'plain' | 'gzip' | 'base64'

export async function wispFile(
  account: PdsAccount,
  record: 'fs' | 'subfs',
  content: Uint8Array<ArrayBuffer> | string,
  { stored = 'gzip', mimeType = 'text/html' }: { stored?: Stored; mimeType?: string } = {},
): Promise<object> {
  const zipped = new Uint8Array(gzipSync(content))
  const bytes = stored === 'plain' ? content : stored === 'gzip' ? zipped : zipped.toBase64()
  return {
    $type: `place.wisp.${record}#file`,
    type: 'file',
    blob: await uploadBlob(account, bytes),
    ...(stored !== 'plain' && { encoding: 'gzip' }),
    mimeType,
    ...(stored === 'base64' && { base64: true }),
  }
}

export const wispEntry = (name: string, node: object) => ({ name, node })

export const wispDirectory = (record: 'fs' | 'subfs', ...entries: object[]) => ({
  $type: `place.wisp.${record}#directory`,
  type: 'directory',
  entries,
})

export const wispPartNode = (
  { did }: Pick<PdsAccount, 'did'>,
  record: 'fs' | 'subfs',
  key: string,
  facts: object = {},
) => ({
  $type: `place.wisp.${record}#subfs`,
  type: 'subfs',
  subject: `at://${did}/place.wisp.subfs/${key}`,
  ...facts,
})

export const putWispPart = (account: PdsAccount, key: string, ...entries: object[]) =>
  putRecord(account, 'place.wisp.subfs', key, {
    root: wispDirectory('subfs', ...entries),
    fileCount: entries.length,
    createdAt,
  })

export const putWispSite = (account: PdsAccount, site: string, ...entries: object[]) =>
  putRecord(account, 'place.wisp.fs', site, {
    site,
    root: wispDirectory('fs', ...entries),
    fileCount: entries.length,
    createdAt,
  })

/** The address of a page of a foreign site on the service at `app`, whose base domain is `localhost`. */
export function wispPageUrl(app: string, did: string, site: string, path = '/'): URL {
  const name = parseAnySiteName(`place.wisp.fs/${site}`)
  if (name === null) throw new TypeError(`not a site name: ${site}`)
  const url = new URL(path, app)
  url.hostname = `${siteLabel({ did: did as Did, name })}.localhost`
  return url
}
