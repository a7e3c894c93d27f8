import type { AccountRepo, RepoWrite } from '#atproto/repo/account-repo.ts'
import { listRecords } from '#tests/support/accounts.ts'
import type { Devnet } from '../../devnet/start.ts'
import type { BenchAccount } from '../support/account.ts'
import { type BenchFile, storedForm } from '../support/files.ts'

const [siteCollection, partCollection] = ['place.sitehost.fs', 'place.sitehost.subfs'] as const
const writesAtOnce = 40

/**
 * The site of another account, copied record by record to `repo`, which has its blobs; and a change of one file of it
 * with the fewest calls: a blob, and a commit that replaces a part and the site's record.
 */
export class BareChange {
  readonly #repo: AccountRepo
  readonly #site: { readonly rkey: string; readonly value: object }
  readonly #part: object
  #changes = 0

  private constructor(
    repo: AccountRepo,
    site: { readonly rkey: string; readonly value: object },
    part: object,
  ) {
    this.#repo = repo
    this.#site = site
    this.#part = part
  }

  static async prepare(
    repo: AccountRepo,
    network: Devnet,
    { did }: BenchAccount,
  ): Promise<BareChange> {
    const from = { pds: network.pds, did }
    const copied = async (collection: typeof siteCollection | typeof partCollection) =>
      (await listRecords(from, collection)).map(({ rkey, value }) => ({
        ...({ action: 'create', collection, rkey } as const),
        value: JSON.parse(JSON.stringify(value).replaceAll(did, repo.did)) as Record<
          string,
          unknown
        >,
      }))
    const [sites, parts] = [await copied(siteCollection), await copied(partCollection)]
    const writes: RepoWrite[] = [...parts, ...sites]
    for (let at = 0; at < writes.length; at += writesAtOnce) {
      await repo.applyWrites(writes.slice(at, at + writesAtOnce), await repo.latestCommit())
    }
    const [site] = sites
    const part = parts.find(({ value }) => JSON.stringify(value).includes('"type":"file"'))
    if (site === undefined || part === undefined) throw new Error('the site has no parts')
    return new BareChange(repo, site, part.value)
  }

  /** Returns the milliseconds. */
  async change(file: BenchFile): Promise<number> {
    const stored = new Blob([storedForm(file)])
    const start = performance.now()
    const blob = await this.#repo.uploadBlob(stored)
    const value = withFirstBlob(this.#part, blob)
    const createdAt = new Date().toISOString()
    const key = (n: number): string => `bare${n}`
    const replaced = { collection: partCollection, rkey: key(this.#changes) }
    const writes: RepoWrite[] = [
      { action: 'create', collection: partCollection, rkey: key(this.#changes + 1), value },
      {
        action: 'update',
        collection: siteCollection,
        rkey: this.#site.rkey,
        value: { ...this.#site.value, createdAt },
      },
      ...(this.#changes > 0 ? [{ action: 'delete', ...replaced } as const] : []),
    ]
    await this.#repo.applyWrites(writes, await this.#repo.latestCommit())
    this.#changes++
    return performance.now() - start
  }
}

function withFirstBlob(part: object, blob: object): Record<string, unknown> {
  let isReplaced = false
  return JSON.parse(JSON.stringify(part), (key, value) => {
    if (key !== 'blob' || isReplaced) return value
    isReplaced = true
    return blob
  })
}
