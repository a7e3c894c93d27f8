import { expect } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { type PdsAccount, putRecord, uploadBlob } from '#tests/support/accounts.ts'
import { eventually } from '#tests/support/eventually.ts'
import { pageUrl } from '#tests/support/visitors/plain-sites.ts'

/** A site of the network. */
export interface NetworkSite {
  readonly account: PdsAccount
  readonly name: string
}

const pages = ['index.html', 'style.css', 'docs/about.html', 'docs/data.bin']

/** Writes this many sites, of files in every form, to the repositories of these accounts in turn. */
export async function writeSites(
  accounts: readonly PdsAccount[],
  count: number,
): Promise<NetworkSite[]> {
  const sites: NetworkSite[] = []
  for (let i = 0; i < count; i++) {
    const account = accounts[i % accounts.length]
    if (account === undefined) throw new TypeError('no accounts')
    const name = `site-${i}`
    await putRecord(account, 'place.sitehost.fs', name, await manifestOf(account, name))
    sites.push({ account, name })
  }
  return sites
}

async function manifestOf(account: PdsAccount, name: string): Promise<object> {
  const page = (title: string) => `<h1>${title}</h1>${`<p>${name}</p>`.repeat(100)}`
  const zipped = gzipSync(page('about')).toString('base64')
  const file = (blob: object, mimeType: string) => ({ type: 'file', blob, mimeType })
  const about = await uploadBlob(account, zipped)
  const data = await uploadBlob(
    account,
    Uint8Array.from({ length: 5000 }, (_, n) => n * 31),
  )
  const docs = [
    { name: 'about.html', node: { ...file(about, 'text/html'), encoding: 'gzip', base64: true } },
    { name: 'data.bin', node: file(data, 'application/octet-stream') },
  ]
  const index = await uploadBlob(account, page('home'), 'text/html')
  const style = await uploadBlob(account, 'p { color: green }', 'text/css')
  const entries = [
    { name: 'index.html', node: file(index, 'text/html') },
    { name: 'style.css', node: file(style, 'text/css') },
    { name: 'docs', node: { type: 'directory', entries: docs } },
  ]
  return {
    site: name,
    root: { type: 'directory', entries },
    createdAt: '2026-01-01T00:00:00.000Z',
  }
}

/** That two services give the same answers to the same questions about these sites, all of them 200. */
export async function expectAlike(
  apps: readonly [string, string],
  sites: readonly NetworkSite[],
): Promise<void> {
  for (const { account, name } of sites) {
    for (const path of pages) {
      for (const coding of ['gzip', 'identity']) {
        const [one, two] = apps.map((app) => pageUrl(app, account.did, name, `/${path}`))
        await eventually(async () => {
          const first = await answerOf(one as URL, coding)
          expect(first).toMatchObject({ status: 200 })
          expect(await answerOf(two as URL, coding)).toEqual(first)
        })
      }
    }
  }
}

async function answerOf(url: URL, coding: string) {
  const answer = await fetch(url, { headers: { 'accept-encoding': coding }, decompress: false })
  const headers = Object.fromEntries(answer.headers)
  // Each says when the version went live with itself, and both what time it is.
  for (const name of ['date', 'last-modified']) delete headers[name]
  const digest = new Bun.CryptoHasher('sha256').update(await answer.arrayBuffer()).digest('hex')
  return { status: answer.status, headers, digest }
}
