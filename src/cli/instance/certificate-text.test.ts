import { expect, test } from 'bun:test'
import { certificateText, certificateWarning } from './certificate-text.ts'

const row = { validUntil: null, nextTryAt: null, problem: null }
const end = '2030-03-01T12:00:00.000Z'

test.each([
  [{ ...row, state: 'waiting-for-dns' as const }, 'certificate waits for DNS'],
  [{ ...row, state: 'ordered' as const }, 'certificate ordered'],
  [{ ...row, state: 'refused' as const }, 'no certificate'],
  [{ ...row, state: 'valid' as const, validUntil: end }, 'certificate until 2030-03-01'],
  [{ ...row, state: 'expired' as const, validUntil: end }, 'certificate expired 2030-03-01'],
])('%j', (certificate, text) => {
  expect(certificateText(certificate)).toBe(text)
  expect(certificateWarning(certificate)).toBeNull()
})

test('a problem is said with the words of the authority and the time of the next try', () => {
  const problem = { kind: 'caa' as const, detail: 'caa: not us', advice: 'Change it.' }
  const warning = certificateWarning({ ...row, state: 'refused', nextTryAt: end, problem })
  expect(warning).toMatch(/^Change it\. \(caa: not us\) Next try: 2030-03-01 .+\.$/)
  expect(certificateWarning({ ...row, state: 'refused', problem })).toBe('Change it. (caa: not us)')
})
