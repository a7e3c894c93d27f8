import { decode, verify } from 'hono/jwt'
import { z } from 'zod'
import type { Publisher } from '#store/accounts/publishers.ts'
import type { IssuerKeys } from './issuer-keys.ts'
import { secretHash } from './secrets.ts'

/** Of the forge's clock, ahead or behind. */
export const idTokenLeewayMs = 60_000
/** A token that works longer would have to be remembered longer. */
export const idTokenMsMax = 24 * 60 * 60 * 1000
const repositoryCharsMax = 300

const text = z.string().max(repositoryCharsMax)

/** What forges say of a job: GitHub, Forgejo (`repository`, `ref`) and GitLab (`project_path`, `ref_path`). */
const claimsOf = z.object({
  iss: text,
  aud: z.union([text, z.array(text)]),
  exp: z.number(),
  iat: z.number(),
  nbf: z.number().optional(),
  repository: text.optional(),
  repository_id: z.coerce.string().max(repositoryCharsMax).optional(),
  project_path: text.optional(),
  project_id: z.coerce.string().max(repositoryCharsMax).optional(),
  ref: text.optional(),
  ref_path: text.optional(),
  ref_type: text.optional(),
  environment: text.optional(),
})

type Claims = z.output<typeof claimsOf>

export interface ParsedIdToken {
  /** The whole token. */
  readonly token: string
  readonly alg: 'RS256' | 'ES256'
  readonly kid: string
  readonly claims: Claims
  /** Of what the issuer has signed: a signature can be written in several ways. */
  readonly hash: string
}

/** Reads a token without trusting it; null for what is none that forges issue. */
export function parseIdToken(token: string): ParsedIdToken | null {
  const [, signed = ''] = /^([\w-]+\.[\w-]+)\.[\w-]+$/.exec(token) ?? []
  if (signed === '') return null
  try {
    const { header, payload } = decode(token)
    const { alg, kid } = header
    const claims = claimsOf.safeParse(payload)
    if ((alg !== 'RS256' && alg !== 'ES256') || typeof kid !== 'string' || !claims.success) {
      return null
    }
    return { token, alg, kid, claims: claims.data, hash: secretHash(signed) }
  } catch {
    return null
  }
}

/** Whether the issuer has signed it with a key that it publishes. Throws IssuerError. */
export async function isSigned(parsed: ParsedIdToken, keys: IssuerKeys): Promise<boolean> {
  const { alg, claims, kid, token } = parsed
  const key = await keys.find(claims.iss, { alg, kid })
  if (key === null) return false
  try {
    // Times are compared below, by our clock and with leeway.
    await verify(token, key, { alg, exp: false, iat: false, nbf: false })
    return true
  } catch {
    return false
  }
}

/** Why a signed token is refused, whoever it is for; null: it is not. */
export function problemOf({ claims }: ParsedIdToken, to: { origin: string; now: number }) {
  const { aud, exp, iat, nbf } = claims
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (audiences.length !== 1 || audiences[0] !== to.origin) return 'audience'
  const [expiresAt, issuedAt] = [exp * 1000, iat * 1000]
  if (expiresAt + idTokenLeewayMs <= to.now) return 'expired'
  if (Math.max(issuedAt, (nbf ?? 0) * 1000) - idTokenLeewayMs > to.now) return 'too-early'
  return expiresAt - issuedAt > idTokenMsMax ? 'too-long' : null
}

/** The job that a token is of, in the words of every forge. */
export function jobOf({ claims }: ParsedIdToken) {
  const { environment, project_id, project_path, ref, ref_path, ref_type, repository_id } = claims
  return {
    repository: claims.repository ?? project_path ?? null,
    repositoryId: repository_id ?? project_id ?? null,
    ref: ref_path ?? fullRef(ref, ref_type),
    environment: environment ?? null,
    hasCaselessEnvironments: project_path === undefined,
  }
}

export type Job = ReturnType<typeof jobOf>

function fullRef(ref: string | undefined, type: string | undefined): string | null {
  if (ref === undefined || ref.startsWith('refs/')) return ref ?? null
  return type === 'tag' ? `refs/tags/${ref}` : `refs/heads/${ref}`
}

export type Claim = 'repository' | 'repository_id' | 'ref' | 'environment'

/** The first claim that is not the publisher's; null: the job is one of it. */
export function mismatchOf(job: Job, publisher: Publisher): Claim | null {
  const { environment, ref, repository, repositoryId } = publisher
  // Forges compare the names of repositories without case.
  if (!isEqualInAnyCase(job.repository, repository)) return 'repository'
  if (repositoryId !== null && job.repositoryId !== repositoryId) return 'repository_id'
  if (ref !== null && job.ref !== ref) return 'ref'
  return environment === null || isOfEnvironment(job, environment) ? null : 'environment'
}

/**
 * GitHub's environments are the same in any case ("Environment names are not case sensitive", its docs). GitLab has
 * `Production` next to a protected `production`, for jobs of any branch.
 */
function isOfEnvironment(job: Job, environment: string): boolean {
  if (job.environment === environment) return true
  return job.hasCaselessEnvironments && isEqualInAnyCase(job.environment, environment)
}

export const isEqualInAnyCase = (a: string | null, b: string | null): boolean =>
  a?.toLowerCase() === b?.toLowerCase()
