import { z } from 'zod'
import { json } from '#api/contract/answers.ts'
import { like, literals, sentences } from '#api/contract/messages.ts'
import { defineRoute } from '#api/contract/route.ts'
import { done } from '#api/contract/rows.ts'

const section = '4.6'

/** `/api/admin/*`: for administrators of the service. */
export const adminRoutes = {
  signInAdmin: defineRoute({
    section,
    access: 'public',
    method: 'POST',
    path: '/api/admin/login',
    summary: 'Starts an administrator’s session',
    details: 'Attempts are limited by name and network.',
    body: {
      kind: 'json',
      schema: z.object({
        username: z.string().min(1).max(64),
        password: z.string().min(1).max(1024),
      }),
    },
    answers: { 200: done },
    failures: {
      401: [literals.invalidCredentials],
      429: [like('Too many tries to sign in. Try again in 2 seconds.'), sentences.adminSignInsBusy],
      503: [sentences.storageAway],
    },
  }),
  signOutAdmin: defineRoute({
    section,
    access: 'admin',
    method: 'POST',
    path: '/api/admin/logout',
    summary: 'Ends this administrator’s session',
    answers: { 200: done },
  }),
  readAdminStatus: defineRoute({
    section,
    access: 'public',
    method: 'GET',
    path: '/api/admin/status',
    summary: 'Whether an administrator is signed in, and who',
    answers: {
      200: json(
        'Whether somebody is signed in',
        z.union([
          z.strictObject({ authenticated: z.literal(true), username: z.string() }),
          z.strictObject({ authenticated: z.literal(false) }),
        ]),
      ),
    },
    failures: { 503: [sentences.storageAway] },
  }),
}
