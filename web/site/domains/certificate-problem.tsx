import { Notice } from '#web/parts/notice.tsx'
import type { CustomDomain } from '#web/server/api.ts'
import { inLocalTime } from '#web/site/problem-place.ts'
import { words } from '#web/words/words.ts'

/** Why a domain has no certificate, or soon has none; nothing where its DNS card says that already. */
export function CertificateProblem({ custom }: { custom: CustomDomain }) {
  const { certificate, domain, warning } = custom
  if (!certificate || certificate.problem === null) return null
  const { nextTryAt, problem, state } = certificate
  const { detail, kind } = problem
  if (kind === 'elsewhere' && warning !== null) return null
  const texts = words.domains.certificate
  return (
    <Notice title={texts.titles[state](domain)} tone={state === 'expired' ? 'danger' : 'warn'}>
      <p>{texts.advice[kind](domain)}</p>
      {detail !== null && (
        <p>
          {texts.authority} <q lang="en">{detail}</q>
        </p>
      )}
      {nextTryAt !== null && <p>{texts.nextTry(inLocalTime(nextTryAt, words.locale))}</p>}
    </Notice>
  )
}
