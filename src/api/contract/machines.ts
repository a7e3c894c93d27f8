import { z } from 'zod'
import { document, json, text } from './answers.ts'
import { defineRoute } from './route.ts'

const ofSection = { section: 'decisions §1', access: 'public' } as const

/** What no person asks for: whether the service is well, and what it can be asked. */
export const machineRoutes = {
  readHealth: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/healthz',
    summary: 'The process is up',
    answers: { 200: text('It is', 'ok') },
  }),
  readReadiness: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/readyz',
    summary: 'The service can do its work',
    answers: { 200: text('It can', 'ok'), 503: text('It cannot now', 'not ready') },
  }),
  readOpenApi: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document',
    answers: { 200: json('The document', z.looseObject({ openapi: z.literal('3.1.1') })) },
  }),
  readDocs: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/docs',
    summary: 'This interface as a page for people',
    answers: { 200: document('The page', 'text/html; charset=utf-8') },
  }),
  readDocsStyle: defineRoute({
    ...ofSection,
    method: 'GET',
    path: '/api/docs.css',
    summary: 'How that page looks',
    answers: { 200: document('A style sheet', 'text/css; charset=utf-8') },
  }),
}
