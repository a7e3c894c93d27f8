import * as Cid from '@atcute/cid'
import { P256PrivateKeyExportable } from '@atcute/crypto'
import type { Did } from '#site/site-address.ts'
import { accountOf } from '#tests/support/database/sample-rows.ts'
import { carOf, encodeRecord, linkOf, proofOf } from './fake-pds.ts'

// Many small repositories with real signatures and proofs, on two account servers, with their directory: in
// this process, and warm, so that what a test measures is not them.

export type RepoStatus = 'active' | 'deactivated' | 'takendown' | 'deleted'

export interface RepoBlob {
  readonly $type: 'blob'
  readonly ref: { readonly $link: string }
  readonly mimeType: string
  readonly size: number
}

/** What of a commit: by path; null: the record is deleted. */
export type RepoWrites = ReadonlyMap<string, object | null>

export interface RepoNetwork extends AsyncDisposable {
  /** The directory; any handle leads nowhere. */
  readonly plc: string
  readonly repos: readonly ManyRepo[]
  addBlob(content: string | Uint8Array<ArrayBuffer>): RepoBlob
}

const signers = new Map<number, Promise<P256PrivateKeyExportable>>()

/** Keys are made once a process, and shared by the repositories: making them takes longer than signing. */
const signerOf = (n: number): Promise<P256PrivateKeyExportable> => {
  const key = signers.get(n) ?? P256PrivateKeyExportable.createKeypair()
  signers.set(n, key)
  return key
}

const keysMax = 8

export class ManyRepo {
  readonly did: Did
  status: RepoStatus = 'active'
  /** Which of the servers has it. */
  home = 0
  /** Every state so far: revision → CIDs by path. */
  readonly history = new Map<string, ReadonlyMap<string, string>>()
  #keyNumber: number
  #records = new Map<string, Uint8Array<ArrayBuffer>>()
  readonly #cids = new Map<string, string>()
  readonly #proofs = new Map<string, Promise<Uint8Array<ArrayBuffer>>>()
  #commits = 0

  constructor(n: number) {
    this.did = accountOf(n)
    this.#keyNumber = n % keysMax
    this.history.set(this.rev, new Map())
  }

  /** A TID (https://atproto.com/specs/tid); they count up. */
  get rev(): string {
    const digits = []
    for (let rest = this.#commits; digits.length < 9; rest = Math.floor(rest / 32)) {
      digits.unshift('234567abcdefghijklmnopqrstuvwxyz'.charAt(rest % 32))
    }
    return `3kaa${digits.join('')}`
  }

  /** CIDs of the records there are now, by path. */
  get cids(): ReadonlyMap<string, string> {
    return this.#cids
  }

  async commit(writes: RepoWrites): Promise<void> {
    const records = new Map(this.#records)
    const cids = new Map<string, string>()
    for (const [path, record] of writes) {
      if (record === null) records.delete(path)
      else {
        const bytes = encodeRecord(record)
        records.set(path, bytes)
        cids.set(path, (await linkOf(bytes)).$link)
      }
    }
    for (const [path, record] of writes) {
      if (record === null) this.#cids.delete(path)
      else this.#cids.set(path, cids.get(path) ?? '')
    }
    this.#records = records
    this.#commits += 1
    this.#proofs.clear()
    this.history.set(this.rev, new Map(this.#cids))
  }

  /** Signs with another key from now on, which is a commit too. */
  rotateKey(): void {
    this.#keyNumber = (this.#keyNumber + 1) % keysMax
    this.#commits += 1
    this.#proofs.clear()
    this.history.set(this.rev, new Map(this.#cids))
  }

  /** Kept until the next commit. */
  proof(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const made = this.#proofs.get(path) ?? this.#prove(path)
    this.#proofs.set(path, made)
    return made
  }

  recordKeys(collection: string): string[] {
    return [...this.#records.keys()]
      .filter((path) => path.startsWith(`${collection}/`))
      .map((path) => path.slice(collection.length + 1))
  }

  async document(servers: readonly string[]): Promise<object> {
    const key = await (await signerOf(this.#keyNumber)).exportPublicKey('multikey')
    const { did } = this
    return {
      id: did,
      alsoKnownAs: [],
      verificationMethod: [
        { id: `${did}#atproto`, type: 'Multikey', controller: did, publicKeyMultibase: key },
      ],
      service: [
        {
          id: '#atproto_pds',
          type: 'AtprotoPersonalDataServer',
          serviceEndpoint: servers[this.home],
        },
      ],
    }
  }

  async #prove(path: string): Promise<Uint8Array<ArrayBuffer>> {
    const { did, rev } = this
    const records = this.#records
    return await carOf(
      await proofOf({ did, key: await signerOf(this.#keyNumber), rev, records, path }),
    )
  }
}

export function startRepoNetwork(count: number): RepoNetwork {
  const repos = Array.from({ length: count }, (_, n) => new ManyRepo(n))
  const byDid = new Map<string, ManyRepo>(repos.map((repo) => [repo.did, repo]))
  const blobs = new Map<string, Uint8Array<ArrayBuffer>>()
  const servers: Bun.Server<undefined>[] = []
  for (let home = 0; home < 2; home++) {
    const fetch = (request: Request) => answer(new URL(request.url), home)
    servers.push(Bun.serve({ port: 0, hostname: '127.0.0.1', fetch }))
  }
  const origins = servers.map(({ url }) => url.origin)

  async function answer({ pathname, searchParams }: URL, home: number): Promise<Response> {
    if (!pathname.startsWith('/xrpc/')) {
      const repo = byDid.get(decodeURIComponent(pathname.slice(1)))
      if (repo === undefined) return new Response('', { status: 404 })
      return Response.json(await repo.document(origins))
    }
    const did = searchParams.get('did') ?? searchParams.get('repo') ?? ''
    const repo = byDid.get(did)
    if (repo === undefined || repo.home !== home) return refusal('RepoNotFound')
    return await ofRepo(repo, pathname.slice('/xrpc/'.length), searchParams)
  }

  async function ofRepo(repo: ManyRepo, method: string, query: URLSearchParams): Promise<Response> {
    const { did, status } = repo
    if (method === 'com.atproto.sync.getRepoStatus') {
      if (status === 'deleted') return refusal('RepoNotFound')
      return Response.json(
        status === 'active' ? { did, active: true } : { did, active: false, status },
      )
    }
    if (status !== 'active') return refusal(refusalOf[status])
    const collection = query.get('collection') ?? ''
    const path = `${collection}/${query.get('rkey')}`
    switch (method) {
      case 'com.atproto.sync.getRecord':
        return new Response(await repo.proof(path))
      case 'com.atproto.repo.getRecord':
        return repo.cids.has(path) ? Response.json({ value: {} }) : refusal('RecordNotFound')
      case 'com.atproto.repo.listRecords': {
        const keys = repo.recordKeys(collection)
        const records = keys.map((key) => ({ uri: `at://${did}/${collection}/${key}`, value: {} }))
        return Response.json({ records })
      }
      case 'com.atproto.sync.getBlob': {
        const bytes = blobs.get(query.get('cid') ?? '')
        return bytes === undefined ? refusal('BlobNotFound') : new Response(bytes)
      }
      default:
        return Response.json({ error: 'MethodNotImplemented' }, { status: 501 })
    }
  }

  return {
    plc: origins[0] ?? '',
    repos,
    addBlob(content) {
      const bytes = new Uint8Array(Buffer.from(content as Uint8Array))
      const digest = new Bun.CryptoHasher('sha256').update(bytes).digest()
      const $link = Cid.toString(Cid.fromDigest(Cid.CODEC_RAW, digest))
      blobs.set($link, bytes)
      return { $type: 'blob', ref: { $link }, mimeType: 'text/html', size: bytes.length }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.stop(true)))
    },
  }
}

const refusalOf = {
  deactivated: 'RepoDeactivated',
  takendown: 'RepoTakendown',
  deleted: 'RepoNotFound',
} as const

const refusal = (error: string): Response => Response.json({ error }, { status: 400 })

/** A site's record, of files with these contents. */
export function siteRecord(
  site: string,
  files: Readonly<Record<string, RepoBlob>>,
  createdAt = '2026-01-01T00:00:00.000Z',
): object {
  const entries = Object.entries(files).map(([name, blob]) => ({
    name,
    node: { type: 'file', blob, mimeType: 'text/html' },
  }))
  return { $type: 'place.sitehost.fs', site, root: { type: 'directory', entries }, createdAt }
}
