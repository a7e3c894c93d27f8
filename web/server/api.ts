import type { AnswerTo, Asked, CallName } from '#api/contract/client.ts'
import { words } from '#web/words/words.ts'
import { answeredProblem } from './answered-problem.ts'

/**
 * A call that did not do what it was for. `message` is a sentence for the person at the screen.
 * `status` is null where there is no answer to speak of: the connection broke off, or a job failed.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number | null
  /** When the server says to come again; null: it does not. */
  readonly retryAfterSeconds: number | null
  /** The part of what was asked that it is about, by the interface's name; null: none. */
  readonly field: string | null

  constructor(
    status: number | null,
    message: string,
    options: ErrorOptions & { readonly headers?: Headers; readonly field?: string | null } = {},
  ) {
    super(message, options)
    this.status = status
    this.retryAfterSeconds = Number(options.headers?.get('retry-after')) || null
    this.field = options.field ?? null
  }
}

/** Where to send the person, to sign in with their own server. `returnTo`: the page of ours to come back to. */
export async function startSignIn(handle: string, returnTo: string | null): Promise<string> {
  const body = { handle, ...(returnTo !== null && { return_to: returnTo }) }
  const { url } = await call('POST /api/auth/signin', { body })
  return url
}

export const readAuthStatus = () => call('GET /api/auth/status', {})

export const readUser = () => call('GET /api/user/info', {})

export async function listSites() {
  const { sites } = await call('GET /api/user/sites', {})
  return sites
}

/** Has the account's sites read from its own server, now. */
export const syncSites = () => call('POST /api/user/sync', {})

export async function signOut(): Promise<void> {
  await call('POST /api/auth/logout', {})
}

export type Names = AnswerTo<'GET /api/user/domains'>
export type CustomDomain = Names['customDomains'][number]

export const listNames = () => call('GET /api/user/domains', {})

/** Whether a label can be claimed, and what name it makes. */
export const checkName = (handle: string) => call('GET /api/domain/check', { query: { handle } })

/** The name that is had from now on, whole. */
export async function claimName(handle: string): Promise<string> {
  const { domain } = await call('POST /api/domain/claim', { body: { handle } })
  return domain
}

export async function renameName(domain: string, handle: string): Promise<string> {
  const renamed = await call('POST /api/domain/update', { body: { handle, domain } })
  return renamed.domain
}

export async function releaseName(domain: string): Promise<void> {
  await call('DELETE /api/domain/sitehost/:domain', { params: { domain } })
}

/** `siteRkey` null: nowhere. */
export async function mapName(domain: string, siteRkey: string | null): Promise<void> {
  await call('POST /api/domain/sitehost/map-site', { body: { domain, siteRkey } })
}

export const addDomain = (domain: string) =>
  call('POST /api/domain/custom/add', { body: { domain } })

export const verifyDomain = (id: string) => call('POST /api/domain/custom/verify', { body: { id } })

export async function mapDomain(id: string, siteRkey: string | null): Promise<void> {
  await call('POST /api/domain/custom/:id/map-site', { params: { id }, body: { siteRkey } })
}

export async function deleteDomain(id: string): Promise<void> {
  await call('DELETE /api/domain/custom/:id', { params: { id } })
}

/** `domain` null: each of the site's names shows it. */
export async function choosePrimary(rkey: string, domain: string | null): Promise<void> {
  await call('POST /api/site/:rkey/primary', { params: { rkey }, body: { domain } })
}

/** Takes a site offline and removes it from the account's repository. */
export async function deleteSite(rkey: string): Promise<void> {
  await call('DELETE /api/site/:rkey', { params: { rkey } })
}

export interface StoredSettings {
  /** As the repository has it, whoever wrote it. */
  readonly record: Readonly<Record<string, unknown>>
  /** Says which record it is; null: the service does not. */
  readonly tag: string | null
}

export async function readSettings(rkey: string): Promise<StoredSettings> {
  const { answer, headers } = await ask('GET /api/site/:rkey/settings', { params: { rkey } })
  return { record: answer, tag: headers.get('etag') }
}

/**
 * The whole record: what is not in it is not set. Returns its tag. Throws ApiError 409 when the repository has another one
 * by now than the one with this tag.
 */
export async function writeSettings(
  rkey: string,
  body: Asked<'POST /api/site/:rkey/settings'>['body'],
  tag: string | null,
): Promise<string> {
  const onlyOver = tag === null ? {} : { 'if-match': tag }
  const asked = { params: { rkey }, body }
  const { answer } = await ask('POST /api/site/:rkey/settings', asked, onlyOver)
  return `"${answer.cid}"`
}

/** Removes everything that is here of the account; `records`: in its own repository too. */
export async function deleteAccount(records: boolean): Promise<void> {
  await call('DELETE /api/user', { body: { records } })
}

/** Ends a job that has not begun to write. Throws ApiError, with 409 when it is too late. */
export async function cancelJob(jobId: string): Promise<void> {
  await call('DELETE /sitehost/upload-progress/:jobId', { params: { jobId } })
}

/** Of an answer that is an error. */
export function answeredError(status: number, body: unknown, headers = new Headers()): ApiError {
  const { field, message } = answeredProblem(status, body)
  return new ApiError(status, message, { field, headers })
}

/** Method and address of a call. */
export function addressOf<Name extends CallName>(
  name: Name,
  asked: Omit<Asked<Name>, 'body'>,
): { method: string; path: string } {
  const { params = {}, query = {} } = asked as AnyAsked
  const [method = '', pattern = ''] = name.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, param) => encodeURIComponent(params[param] ?? ''))
  const search = new URLSearchParams(query).toString()
  return { method, path: search === '' ? path : `${path}?${search}` }
}

interface AnyAsked {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Record<string, string>
  readonly body?: unknown
}

/** Asks the API; throws ApiError. Its answers are trusted to have the contract's shapes: this script came from the same server. */
export const call = async <Name extends CallName>(
  name: Name,
  asked: Asked<Name>,
): Promise<AnswerTo<Name>> => (await ask(name, asked)).answer

async function ask<Name extends CallName>(
  name: Name,
  asked: Asked<Name>,
  conditions: Readonly<Record<string, string>> = {},
): Promise<{ readonly answer: AnswerTo<Name>; readonly headers: Headers }> {
  const { method, path } = addressOf(name, asked)
  const { body: sent } = asked as AnyAsked
  const type = sent === undefined ? {} : { 'content-type': 'application/json' }
  const body = sent === undefined ? null : JSON.stringify(sent)
  let response: Response
  try {
    const headers = { ...type, ...conditions }
    response = await fetch(path, { method, body, headers, credentials: 'same-origin' })
  } catch (cause) {
    throw new ApiError(null, words.server.unreachable, { cause })
  }
  const { headers, status } = response
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw answeredError(status, answer, headers)
  return { answer: answer as AnswerTo<Name>, headers }
}
