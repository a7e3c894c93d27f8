import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { type PdsAccount, putRecord, uploadBlob } from '#tests/support/accounts.ts'

// A site of which every file says which version it is of: a page, and the assets that it names.

const hashedAssets = 10
const plainAssets = 10
const uploadsAtOnce = 8
/** As many as browsers open to one host. */
const requestsAtOnce = 6
const unlimited = new AbortController().signal

/** Puts the files of a version on the account's server, and returns what makes it the site's version there. */
export async function prepareVersion(
  account: PdsAccount,
  site: string,
  version: number,
): Promise<() => Promise<unknown>> {
  const ways = { atOnce: uploadsAtOnce, signal: unlimited }
  const entries = await mapAtOnce(filesOf(version), ways, async ({ path, mimeType, content }) => {
    const blob = await uploadBlob(account, content, mimeType)
    return { path, node: { type: 'file', blob, mimeType } }
  })
  const isHashed = ({ path }: { path: string }) => path.startsWith(hashedFolder)
  const inFolder = entries.filter(isHashed).map(({ path, node }) => ({
    name: path.slice(hashedFolder.length),
    node,
  }))
  const atRoot = entries
    .filter((entry) => !isHashed(entry))
    .map(({ path, node }) => ({ name: path, node }))
  const folder = { name: 'assets', node: { type: 'directory', entries: inFolder } }
  const root = { type: 'directory', entries: [...atRoot, folder] }
  const record = { site, root, createdAt: '2026-01-01T00:00:00.000Z' }
  return () => putRecord(account, 'place.sitehost.fs', site, record)
}

const hashedFolder = 'assets/'

interface MarkedFile {
  readonly path: string
  readonly mimeType: string
  readonly content: string
}

function filesOf(version: number): MarkedFile[] {
  const assets = Array.from({ length: hashedAssets + plainAssets }, (_, i) => {
    const content = `asset ${i} of version ${version}`
    const path = i < hashedAssets ? `assets/a-${hashOf(content)}.js` : `plain-${i}.js`
    return { path, mimeType: 'text/javascript', content }
  })
  const scripts = assets.map(({ path }) => `<script src="/${path}"></script>`)
  const page = `<h1>version ${version}</h1>\n${scripts.join('\n')}\n`
  return [{ path: 'index.html', mimeType: 'text/html', content: page }, ...assets]
}

/** Long enough that letters and digits are in all of them, so that they are taken for hashes. */
const hashOf = (content: string): string =>
  new Bun.CryptoHasher('sha256').update(content).digest('hex').slice(0, 32)

/** The version that the site's page shows. Throws when it is not there. */
export async function shownVersion(site: URL): Promise<number> {
  return (await readPage(site)).version
}

/**
 * Loads the page, waits for `between`, then loads all that the page names. What is wrong with it: a hashed
 * asset that is not of the page's version, another one that is of an older version or of none that was
 * committed, or anything that is missing.
 */
export async function readSite(
  site: URL,
  between: (version: number) => Promise<unknown>,
  committed: () => number,
): Promise<{ version: number; complaints: string[] }> {
  const { version, paths } = await readPage(site)
  await between(version)
  const ways = { atOnce: requestsAtOnce, signal: unlimited }
  const indexes = Array.from(paths.keys())
  const complaints = await mapAtOnce(indexes, ways, async (i) => {
    const path = paths[i] ?? ''
    const answer = await fetch(new URL(path, site))
    const content = await answer.text()
    const newest = path.startsWith(`/${hashedFolder}`) ? version : committed()
    const marked = /^asset (\d+) of version (\d+)$/.exec(content)
    const [asset, of] = [Number(marked?.[1]), Number(marked?.[2])]
    if (answer.status === 200 && asset === i && of >= version && of <= newest) return []
    return [`page of ${version}: ${path} is ${answer.status} ${content.slice(0, 80)}`]
  })
  if (paths.length !== hashedAssets + plainAssets) complaints.push([`names ${paths.length} assets`])
  return { version, complaints: complaints.flat() }
}

async function readPage(site: URL): Promise<{ version: number; paths: string[] }> {
  const answer = await fetch(site)
  const page = await answer.text()
  const version = /^<h1>version (\d+)<\/h1>$/m.exec(page)?.[1]
  if (answer.status !== 200 || version === undefined) {
    throw new Error(`no page: ${answer.status} ${page.slice(0, 80)}`)
  }
  const paths = Array.from(page.matchAll(/src="([^"]+)"/g), ([, path]) => path ?? '')
  return { version: Number(version), paths }
}
