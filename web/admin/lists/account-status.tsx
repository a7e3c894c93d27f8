import type { AnswerTo } from '#api/contract/client.ts'
import { StatusWord } from '#web/admin/parts/status-word.tsx'

type Status = AnswerTo<'GET /api/admin/accounts'>['accounts'][number]['status']

/** What the account's own server says. */
export const AccountStatus = ({ status }: { status: Status }) => (
  <StatusWord tone={status === 'active' ? 'good' : 'rest'}>{words[status]}</StatusWord>
)

const words = {
  active: 'Active',
  deactivated: 'Deactivated',
  takendown: 'Taken down by its server',
  suspended: 'Suspended by its server',
  deleted: 'Deleted',
} as const
