import { expect, test } from 'bun:test'
import {
  type CertificateFacts,
  type CertificateProblem,
  type CertificateState,
  certificateAdvice,
  certificateProblems,
  certificateState,
} from './certificate-state.ts'

const now = 1_000_000
const [before, after] = [now - 1, now + 1]
const wanted = { isWanted: true, validUntil: null, dueAt: now, problem: null, detail: null }
const valid = { ...wanted, validUntil: after, dueAt: after }

const table: readonly [string, Partial<CertificateFacts>, Partial<CertificateState> | null][] = [
  ['wanted', wanted, { state: 'ordered', nextTryAt: null, problem: null }],
  [
    'wanted, and later: the orders of these hours are used up',
    { dueAt: after },
    { state: 'ordered', nextTryAt: after },
  ],
  [
    'leads elsewhere',
    { problem: 'elsewhere', dueAt: after },
    { state: 'waiting-for-dns', problem: 'elsewhere', nextTryAt: after },
  ],
  [
    'refused by the authority',
    { problem: 'caa', detail: 'in its words', dueAt: after },
    { state: 'refused', problem: 'caa', detail: 'in its words', nextTryAt: after },
  ],
  ['valid until then', valid, { state: 'valid', validUntil: after, nextTryAt: after }],
  ['over at that moment', { ...valid, validUntil: now }, { state: 'expired', validUntil: now }],
  [
    'valid, but renewed in vain',
    { ...valid, problem: 'away' },
    { state: 'valid', problem: 'away', nextTryAt: after },
  ],
  [
    'expired, since nobody renews it',
    { ...valid, validUntil: before, isWanted: false },
    { state: 'expired', nextTryAt: null },
  ],
  ['valid, and not renewed', { ...valid, isWanted: false }, { state: 'valid', nextTryAt: null }],
  ['not wanted any more before it came', { isWanted: false, problem: 'elsewhere' }, null],
]

test.each(table)('%s', (_, facts, expected) => {
  const state = certificateState({ ...wanted, ...facts }, now)
  if (expected === null) expect(state).toBeNull()
  else expect(state).toMatchObject(expected)
})

test.each<CertificateProblem>([...certificateProblems])(
  'the advice for “%s” names the host',
  (problem) => {
    expect(certificateAdvice[problem]('www.example.com')).toMatch(
      /: .*www\.example\.com.*\.$|^[^:]*www\.example\.com.*: .+\.$/,
    )
  },
)
