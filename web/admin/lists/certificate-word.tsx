import type { AnswerTo } from '#api/contract/client.ts'
import { StatusWord } from '#web/admin/parts/status-word.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { listsWords } from '#web/words/admin/lists.ts'

const said = listsWords.certificateWord

type Certificate = AnswerTo<'GET /api/admin/domains'>['domains'][number]['certificate']

/** The state of a name's certificate; a dash where there is none. */
export function CertificateWord({ certificate }: { certificate: Certificate }) {
  if (!certificate) return '–'
  const { problem, state } = certificate
  if (state === 'valid' && problem !== null) {
    return <StatusWord tone="warn">{said.validNotRenewed}</StatusWord>
  }
  return <StatusWord tone={tones[state]}>{words[state]}</StatusWord>
}

const tones = {
  'waiting-for-dns': 'warn',
  ordered: 'info',
  refused: 'bad',
  valid: 'good',
  expired: 'bad',
} as const

const words = {
  'waiting-for-dns': 'Waiting for DNS',
  ordered: 'Ordered',
  refused: 'Refused',
  valid: 'Valid',
  expired: 'Expired',
} as const

/** Until when it is valid, when it is ordered or renewed, and what is in the way. */
export function certificateFacts(certificate: Certificate) {
  if (!certificate) return []
  const { nextTryAt, problem, validUntil } = certificate
  const word = <CertificateWord certificate={certificate} key="certificate" />
  return [
    ['Certificate', word] as const,
    ['Valid until', <When at={validUntil} key="until" />] as const,
    ['Next try', <When at={nextTryAt} key="next" />] as const,
    ...(problem === null ? [] : [['Why', problem.advice] as const]),
    ...(problem?.detail ? [['In its words', <q key="detail">{problem.detail}</q>] as const] : []),
  ]
}
