// Talks to a PDS as any other client would, without a line of what publishes sites, so that a test
// can prepare and inspect repositories independently of the code it tests.

export interface PdsAccount {
  pds: string
  did: string
  handle: string
  accessJwt: string
}

/** A blob as records name it. */
export interface UploadedBlob {
  $type: 'blob'
  ref: { $link: string }
  mimeType: string
  size: number
}

export interface WrittenRecord {
  uri: string
  cid: string
  /** Of the repository, where the write changed something; `rev` sorts as text. */
  commit?: { cid: string; rev: string }
}

/** The PDS answered with an error; `error` is its name in the protocol, such as `InvalidSwap`. */
export class PdsError extends Error {
  override readonly name = 'PdsError'
  readonly status: number
  readonly error: string | undefined

  constructor(status: number, error: string | undefined, message: string) {
    super(message)
    this.status = status
    this.error = error
  }
}

/** Signs in with the account's password. `identifier` is a handle or a DID. */
export async function createSession(
  pds: string,
  identifier: string,
  password: string,
): Promise<PdsAccount> {
  const session = await post(pds, 'com.atproto.server.createSession', { identifier, password })
  return { pds, ...(session as Omit<PdsAccount, 'pds'>) }
}

/** Makes a new account, signed in. `handle` ends with `.test`. */
export async function createAccount(
  pds: string,
  handle: string,
  password = 'hunter2pass',
): Promise<PdsAccount> {
  const email = `${handle.replace(/\.test$/, '')}@example.com`
  const input = { handle, email, password }
  const session = await post(pds, 'com.atproto.server.createAccount', input)
  return { pds, ...(session as Omit<PdsAccount, 'pds'>) }
}

/** The PDS drops the blob after a while unless a record names it. */
export async function uploadBlob(
  account: PdsAccount,
  bytes: Uint8Array<ArrayBuffer> | string,
  mimeType = 'application/octet-stream',
): Promise<UploadedBlob> {
  const body = new Blob([bytes])
  const answer = await call(account.pds, 'com.atproto.repo.uploadBlob', {
    method: 'POST',
    headers: { authorization: `Bearer ${account.accessJwt}`, 'content-type': mimeType },
    body,
  })
  return (answer as { blob: UploadedBlob }).blob
}

/** Creates or replaces. The PDS does not validate: it knows none of our lexicons. */
export async function putRecord(
  account: PdsAccount,
  collection: string,
  rkey: string,
  record: object,
): Promise<WrittenRecord> {
  const input = { repo: account.did, collection, rkey, record: { $type: collection, ...record } }
  return (await post(account, 'com.atproto.repo.putRecord', input)) as WrittenRecord
}

/** Harmless when there is no such record. */
export async function deleteRecord(
  account: PdsAccount,
  collection: string,
  rkey: string,
): Promise<void> {
  await post(account, 'com.atproto.repo.deleteRecord', { repo: account.did, collection, rkey })
}

/** The record's value; `undefined` if there is none. */
export async function getRecord(
  { pds, did }: Pick<PdsAccount, 'pds' | 'did'>,
  collection: string,
  rkey: string,
): Promise<unknown> {
  const query = new URLSearchParams({ repo: did, collection, rkey })
  try {
    const answer = await call(pds, `com.atproto.repo.getRecord?${query}`, {})
    return (answer as { value: unknown }).value
  } catch (error) {
    if (error instanceof PdsError && error.error === 'RecordNotFound') return undefined
    throw error
  }
}

/** All records of a collection: their keys and values. */
export async function listRecords(
  { pds, did }: Pick<PdsAccount, 'pds' | 'did'>,
  collection: string,
): Promise<{ rkey: string; value: unknown }[]> {
  const records: { rkey: string; value: unknown }[] = []
  let cursor: string | undefined
  do {
    const query = new URLSearchParams({ repo: did, collection, limit: '100', cursor: cursor ?? '' })
    const page = (await call(pds, `com.atproto.repo.listRecords?${query}`, {})) as {
      records: { uri: string; value: unknown }[]
      cursor?: string
    }
    for (const { uri, value } of page.records) {
      records.push({ rkey: uri.slice(uri.lastIndexOf('/') + 1), value })
    }
    cursor = page.cursor
  } while (cursor)
  return records
}

async function post(to: PdsAccount | string, method: string, input: object): Promise<unknown> {
  const headers = new Headers({ 'content-type': 'application/json' })
  if (typeof to !== 'string') headers.set('authorization', `Bearer ${to.accessJwt}`)
  const pds = typeof to === 'string' ? to : to.pds
  return await call(pds, method, { method: 'POST', headers, body: JSON.stringify(input) })
}

async function call(pds: string, methodAndQuery: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(`${pds}/xrpc/${methodAndQuery}`, init)
  const text = await response.text()
  const answer: unknown = text ? JSON.parse(text) : undefined
  if (response.ok) return answer
  const { error, message } = (answer ?? {}) as { error?: string; message?: string }
  const method = methodAndQuery.split('?')[0]
  throw new PdsError(response.status, error, `${method}: ${response.status} ${error}: ${message}`)
}
