import { readFile } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { AccountSession } from '#atproto/oauth/account-sessions.ts'
import { openAccount } from '#cli/account/account.ts'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import { explained } from '#cli/explained.ts'
import { notBegun } from '#http/not-begun.ts'
import { bodyOf, serverErrorOf, smallAnswer } from '#outbound/answer-body.ts'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import { audienceOf, manageMethod } from '#site/service-token.ts'
import { siteFileName } from '#site/upload/path-rules.ts'
import { parseSiteFile } from '#site/upload/site-file.ts'

export interface InstanceOptions extends AccountOptions {
  readonly instance?: string
}

/** A Sitehost, asked with a credential. */
export interface Instance {
  readonly origin: string
  /** The parsed answer. Throws CommandError with the sentence of a refusal. */
  ask<T>(request: InstanceRequest, answer: z.ZodType<T>): Promise<T>
}

export interface InstanceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly json?: object
  readonly content?: Blob
  /** A POST that may be carried out twice, as all other methods may (RFC 9110 §9.2.2). */
  readonly isIdempotent?: true
  /** Else the command's. */
  readonly signal?: AbortSignal
}

const tokenSeconds = 60
const answerBytesMax = 4 * 1024 * 1024

/** The instance that a command names, else the one that `findOrigin` finds. Throws UsageError. */
async function originOf(
  { instance }: Pick<InstanceOptions, 'instance'>,
  context: Pick<CommandContext, 'instance'>,
): Promise<string> {
  const origin = instance === undefined ? await findOrigin(context) : originAt(instance)
  if (origin !== null) return origin
  throw new UsageError(
    `Which Sitehost? Name it with --instance https://…, in SITEHOST_URL, or as "instance" in ${siteFileName}.`,
  )
}

/** `SITEHOST_URL`, else what a published folder names, else the `sitehost.json` here; null: none. Throws UsageError. */
export async function findOrigin(
  { instance }: Pick<CommandContext, 'instance'>,
  ofFolder: string | null = null,
): Promise<string | null> {
  const address = instance.url ?? ofFolder ?? (await instanceHere())
  return address === null ? null : originAt(address)
}

/** Throws UsageError. */
export function originAt(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null
  if (url !== null && /^https?:$/.test(url.protocol)) return url.origin
  throw new UsageError('The address of a Sitehost begins with https://.')
}

async function instanceHere(): Promise<string | null> {
  const text = await readFile(siteFileName, 'utf8').catch(() => null)
  if (text === null) return null
  const parsed = parseSiteFile(text)
  if (!parsed.ok) throw new CommandError(`${siteFileName}, ${parsed.problem}.`)
  return parsed.file.instance
}

/**
 * An instance for the signed-in account. For each request the account's server signs a token that works there once, within
 * a minute (docs/adr/0031). Throws CommandError.
 */
export async function openInstance(
  options: InstanceOptions,
  context: CommandContext,
): Promise<Instance> {
  const origin = await originOf(options, context)
  const { session } = await openAccount(options, context)
  return instanceFor(session, origin, context)
}

/** The same with a session that is open. */
export const instanceFor = (
  session: AccountSession,
  origin: string,
  context: Pick<CommandContext, 'fetch' | 'now' | 'signal'>,
): Instance =>
  instanceAt(
    origin,
    (signal) => serviceToken(origin, session, { now: context.now, signal }),
    context,
  )

/** With what `bearer` gives for each request; null: without a credential. */
export function instanceAt(
  origin: string,
  bearer: ((signal: AbortSignal) => Promise<string>) | null,
  { fetch, signal: ofCommand }: Pick<CommandContext, 'fetch' | 'signal'>,
  clock: RetryClock = realClock,
): Instance {
  return {
    origin,
    async ask({ content, isIdempotent, json, method, path, signal = ofCommand }, answer) {
      const send = async (): Promise<Response> => {
        const token = await bearer?.(signal)
        return await fetch(new URL(path, origin), {
          ...{ method, signal, redirect: 'error' },
          headers: {
            accept: 'application/json',
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
            ...(json !== undefined && { 'content-type': 'application/json' }),
          },
          ...(json !== undefined && { body: JSON.stringify(json) }),
          ...(content !== undefined && { body: content }),
          limits: { responseBytesMax: answerBytesMax },
        }).catch((cause) => {
          signal.throwIfAborted()
          throw new CommandError(`${origin} did not answer. Try again.`, { cause })
        })
      }
      const response = await untilAvailable(send, {
        mayRepeat: method !== 'POST' || isIdempotent === true,
        signal,
        clock,
      })
      const text = await response.text().catch((cause) => {
        signal.throwIfAborted()
        throw new CommandError(`${origin} broke its answer off, or sent too much.`, { cause })
      })
      const body: unknown = text === '' ? {} : jsonOf(text)
      if (!response.ok) {
        const refusal = z.object({ error: z.string() }).safeParse(body).data?.error
        throw new CommandError(
          refusal === undefined
            ? `${origin} answered with status ${response.status}.`
            : withoutField(refusal),
        )
      }
      const parsed = answer.safeParse(body)
      if (parsed.success) return parsed.data
      throw new CommandError(`${origin} is no Sitehost, or of another version: ${path}.`)
    },
  }
}

/** `domain: nobody owns this one`: the name of a field, which a person did not write. */
function withoutField(refusal: string): string {
  const sentence = refusal.replace(/^domain: /, '')
  return sentence === refusal ? refusal : `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
}

/** By then, a Sitehost that restarts is back. */
const retryMsMax = 60_000
const pauseMsMin = 2_000
const pauseMsMax = 10_000

interface RetryClock {
  /** In milliseconds; never goes back. */
  readonly now: () => number
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

const realClock: RetryClock = {
  now: () => performance.now(),
  pause: (ms, signal) => setTimeout(ms, undefined, { signal }),
}

interface RetryOptions {
  readonly mayRepeat: boolean
  readonly signal: AbortSignal
  readonly clock: RetryClock
}

/**
 * Sends again what is answered with 503 and a time to come back (RFC 9110 §10.2.3), as while a Sitehost restarts. What may not be
 * carried out twice is sent again only where the answer says that it has not begun.
 */
async function untilAvailable(
  send: () => Promise<Response>,
  { clock, mayRepeat, signal }: RetryOptions,
): Promise<Response> {
  const givesUpAt = clock.now() + retryMsMax
  while (true) {
    const response = await send()
    const pauseMs = pauseMsOf(response)
    if (pauseMs === null || !(mayRepeat || hasNotBegun(response))) return response
    if (clock.now() + pauseMs > givesUpAt) return response
    await response.body?.cancel()
    await clock.pause(pauseMs, signal)
  }
}

/** Null: the answer is final. */
function pauseMsOf({ headers, status }: Response): number | null {
  const retryAfter = headers.get('retry-after') ?? ''
  if (status !== 503 || !/^\d+$/.test(retryAfter)) return null
  return Math.min(Math.max(Number(retryAfter) * 1000, pauseMsMin), pauseMsMax)
}

const hasNotBegun = ({ headers }: Response): boolean =>
  Object.keys(notBegun).every((name) => headers.has(name))

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const method = 'com.atproto.server.getServiceAuth'

async function serviceToken(
  origin: string,
  session: AccountSession,
  { now, signal }: Pick<CommandContext, 'now' | 'signal'>,
): Promise<string> {
  const exp = String(Math.floor(now() / 1000) + tokenSeconds)
  const query = new URLSearchParams({ aud: audienceOf(origin), lxm: manageMethod, exp })
  const limits = { responseBytesMax: smallAnswer.bytesMax }
  return await explained(signal, { doing: 'reading' }, async () => {
    try {
      const response = await session.handle(`/xrpc/${method}?${query}`, { signal, limits })
      const body = Buffer.from(await bodyOf(method, response)).toString()
      return z.object({ token: z.string() }).parse(jsonOf(body)).token
    } catch (cause) {
      signal.throwIfAborted()
      if (cause instanceof ServerRefusedError && cause.status === 403) {
        const again =
          'Your sign-in may not do this yet. Sign in again and allow all of it: sitehost login'
        throw new CommandError(again, { cause })
      }
      throw serverErrorOf(method, cause)
    }
  })
}
