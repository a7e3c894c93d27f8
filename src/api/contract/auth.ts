import { z } from 'zod'
import { json, redirect } from './answers.ts'
import { jsonBytesMax } from './limits.ts'
import { bodyTooLarge, literals, sentences } from './messages.ts'
import { defineRoute } from './route.ts'
import { did, done } from './rows.ts'

const ofSection = { section: '4.1', access: 'public' } as const
const account = z
  .string()
  .meta({ description: 'A handle or a DID', examples: ['alice.example.com'] })

const returnTo = z
  .string()
  .optional()
  .meta({
    description: 'The page of the web app to come back to, with its query; others are left out',
    examples: ['/sites/blog/versions'],
  })

/** What `signIn` reads; anything else is no usable handle. */
export const signInBody = z.object({
  handle: z
    .string()
    .trim()
    .min(1)
    .max(2048)
    .meta({
      description: 'A handle, a DID, or a server’s host name or URL',
      examples: ['alice.example.com'],
    }),
  return_to: returnTo.catch(undefined),
})

const signInFailed = (...examples: string[]) =>
  z.strictObject({
    error: z.literal(literals.authenticationFailed),
    details: z.string().meta({ description: 'A sentence for the person', examples }),
  })

/** `/api/auth/*`: signing in with an account of the network, and out again. */
export const authRoutes = {
  beginSignIn: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/auth/login',
    limit: 'signIn',
    summary: 'Begins a sign-in, as a link',
    details: 'A visitor from another site has to confirm on our sign-in page first.',
    query: {
      handle: account.optional(),
      login_hint: account.optional().describe('The same as `handle`'),
      pds: z.string().optional().describe('Instead: a server’s host name or URL'),
      return_to: returnTo,
    },
    answers: {
      302: redirect(
        'To the account’s own server, or back with what went wrong',
        '/?error=missing_handle',
        '/?error=auth_failed',
        '/?error=auth_failed&reason=too_many',
        '/?handle={handle}',
        '/?handle={handle}&return_to={path}',
      ),
    },
  }),
  signIn: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/auth/signin',
    limit: 'signIn',
    summary: 'Begins a sign-in, as a form',
    body: { kind: 'unread-json', schema: signInBody },
    answers: {
      200: json(
        'Where to send the browser',
        z.strictObject({ url: z.string().meta({ format: 'uri' }) }),
      ),
      400: json('No usable handle', signInFailed(sentences.handleMissing)),
      401: json(
        'It cannot begin',
        signInFailed(
          sentences.notAnAccountName,
          sentences.unknownHandle,
          sentences.unknownAccount,
          sentences.signInUnreachable,
          sentences.signInRefused,
          sentences.signInServerBusy,
          sentences.signInBroken,
        ),
      ),
    },
    failures: { 413: [bodyTooLarge(jsonBytesMax)], 429: [sentences.signInsBusy] },
  }),
  completeSignIn: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/auth/callback',
    limit: 'callback',
    summary: 'Where the account’s server sends the browser back to',
    details: 'Works only in the browser that began, once, within ten minutes.',
    query: {
      state: z.string().optional(),
      code: z.string().optional(),
      iss: z.string().optional(),
      error: z.string().optional(),
      error_description: z.string().optional(),
    },
    answers: {
      302: redirect(
        'To the page of `return_to`; else to `/onboarding` for an account without sites and domains, and to `/editor`',
        '/{page}',
        '/onboarding',
        '/editor',
        '/?error=auth_failed',
        '/?error=auth_failed&reason=too_many',
        '/?error=auth_failed&reason=not_allowed',
      ),
    },
  }),
  acceptInvitation: defineRoute({
    section: 'ours',
    access: 'public',
    method: 'GET',
    path: '/invitation/:code',
    limit: 'callback',
    summary: 'Where an invitation leads: its browser may sign in with it',
    details: 'For a day; the sign-in that succeeds uses it up.',
    params: { code: z.string() },
    answers: {
      302: redirect(
        'To the sign-in page',
        '/?news=invited',
        '/?error=auth_failed&reason=invitation_over',
        '/?error=auth_failed&reason=too_many',
      ),
    },
  }),
  signOut: defineRoute({
    ...ofSection,
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'Ends this browser’s session, if there is one',
    answers: {
      200: done,
      500: json('Not signed out', z.strictObject({ error: z.literal(literals.logoutFailed) })),
    },
  }),
  signOutEverywhere: defineRoute({
    section: 'ours',
    access: 'signed-in',
    method: 'POST',
    path: '/api/auth/logout-everywhere',
    summary: 'Ends the sessions of all the account’s browsers, this one’s too',
    details: 'Jobs continue.',
    answers: { 200: done },
  }),
  readAuthStatus: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/auth/status',
    summary: 'Whether somebody is signed in, and who',
    answers: {
      200: json(
        'Whether somebody is signed in',
        z.union([
          z.strictObject({ authenticated: z.literal(true), did }),
          z.strictObject({ authenticated: z.literal(false) }),
        ]),
      ),
    },
    failures: { 503: [sentences.storageAway] },
  }),
}
