import type { RepoWrite } from '#atproto/repo/account-repo.ts'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import type { FakeRepo } from './fake-repo.ts'

/** What an account's server answers that has this repository. */
export async function answerXrpc(
  from: FakeRepo,
  path: string,
  init: RequestInit,
): Promise<Response> {
  const { pathname, searchParams } = new URL(path, 'https://pds.test')
  const method = pathname.slice(pathname.lastIndexOf('.') + 1)
  if (method === 'uploadBlob') return await answerUpload(init)
  const input = init.body ? await new Response(init.body).json() : Object.fromEntries(searchParams)
  const { collection, rkey, record, swapCommit, swapRecord, writes } = input
  try {
    switch (method) {
      case 'describeServer':
        return Response.json({})
      case 'getLatestCommit':
        return Response.json({ cid: await from.latestCommit(), rev: from.rev })
      case 'listRecords': {
        const records = await from.listRecords(collection)
        return Response.json({
          records: records.map((each) => ({ ...each, uri: `at://x/${collection}/${each.rkey}` })),
        })
      }
      case 'getRecord': {
        const found = await from.findRecord(collection, rkey)
        return found
          ? Response.json(found)
          : Response.json({ error: 'RecordNotFound' }, { status: 400 })
      }
      case 'putRecord':
        return Response.json(await from.putRecord(collection, rkey, record, swapRecord))
      case 'applyWrites': {
        const { cids } = await from.applyWrites(writes.map(writeOf), swapCommit)
        return Response.json({ results: cids.map((cid) => ({ cid })) })
      }
      default:
        return Response.json({ error: 'MethodNotImplemented' }, { status: 501 })
    }
  } catch (error) {
    if (!(error instanceof ServerRefusedError)) throw error
    return Response.json({ error: error.code }, { status: error.status })
  }
}

const writeOf = ({ $type, ...write }: { readonly $type: string }): RepoWrite =>
  ({ ...write, action: $type.slice($type.indexOf('#') + 1) }) as RepoWrite

async function answerUpload({ body }: RequestInit): Promise<Response> {
  const bytes = await new Response(body).bytes()
  const $link = rawCid(new Bun.CryptoHasher('sha256').update(bytes).digest())
  const blob = { $type: 'blob', ref: { $link }, mimeType: 'application/octet-stream' }
  return Response.json({ blob: { ...blob, size: bytes.length } })
}
