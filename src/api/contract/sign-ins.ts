import { z } from 'zod'
import { json } from './answers.ts'
import { sentences } from './messages.ts'
import { defineRoute } from './route.ts'
import { done, instant } from './rows.ts'

const ofSection = { section: 'ours', access: 'signed-in' } as const

const id = z.string().meta({ description: 'Of a sign-in; it lets nobody in' })

const signIn = z.strictObject({
  id,
  createdAt: instant,
  lastUsedAt: instant.describe('To the hour'),
  device: z
    .string()
    .nullable()
    .meta({
      description: 'Browser and operating system as it named them; null: not known',
      examples: ['Firefox on Windows'],
    }),
  current: z.boolean().describe('Whether it is the one that asks'),
})

/** `/api/user/sessions`: the browsers in which the account is signed in. */
export const signInRoutes = {
  listSignIns: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/user/sessions',
    summary: 'Where the account is signed in',
    answers: {
      200: json(
        'All of them, those first that were used last',
        z.strictObject({ sessions: z.array(signIn) }),
      ),
    },
  }),
  endSignIn: defineRoute({
    ...ofSection,
    method: 'DELETE',
    path: '/api/user/sessions/:id',
    summary: 'Ends one of them, this browser’s own if need be',
    params: { id },
    answers: { 200: done },
    failures: { 404: [sentences.signInNotFound] },
  }),
}
