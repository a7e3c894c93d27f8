import type { AnswerTo } from '#api/contract/client.ts'

export type LogEntry = AnswerTo<'GET /api/admin/logs'>['logs'][number]
