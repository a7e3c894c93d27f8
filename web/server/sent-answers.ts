import type { AnswerTo } from '#api/contract/client.ts'

/** What the document of an account's page was drawn from. */
export interface SentAnswers {
  readonly user: AnswerTo<'GET /api/user/info'>
  readonly sites: AnswerTo<'GET /api/user/sites'>
}

/** What the service has sent in the document (`src/api/document/own-page.ts`); null: nothing, and all is asked. */
export function sentAnswers(): SentAnswers | null {
  const text = document.getElementById('answers')?.textContent
  return text ? JSON.parse(text) : null
}
