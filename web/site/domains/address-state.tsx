import { Status } from '#web/parts/status.tsx'
import type { CustomDomain } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'
import styles from './address-state.module.css'

type Certificate = NonNullable<CustomDomain['certificate']>

interface AddressStateProps {
  readonly kind: 'permanent' | 'claimed' | 'own'
  /** Of a domain of the owner's, as far as it is known. */
  readonly custom: Pick<CustomDomain, 'verified' | 'lost' | 'warning' | 'certificate'> | null
}

/** Whether visitors reach a site by an address, and what its owner should look at. */
export function AddressState({ kind, custom }: AddressStateProps) {
  const { states } = words.domains
  if (kind === 'permanent') return <Status state="resting">{states.permanent}</Status>
  if (custom?.lost) return <Status state="broken">{states.lost}</Status>
  if (kind === 'own' && !custom?.verified) return <Status state="waiting">{states.waiting}</Status>
  if (custom?.warning) return <Status state="warn">{states.warned}</Status>
  if (custom?.certificate) return <CertificateState certificate={custom.certificate} />
  return <Status state="live">{states.live}</Status>
}

const dayOf = (instant: string): string =>
  new Date(instant).toLocaleDateString(words.locale, { dateStyle: 'medium' })

function CertificateState({ certificate }: { certificate: Certificate }) {
  const { certificate: texts, states } = words.domains
  const { problem, state, validUntil } = certificate
  switch (state) {
    case 'ordered':
      return <Status state="waiting">{texts.ordered}</Status>
    case 'waiting-for-dns':
      return <Status state="waiting">{states.waiting}</Status>
    case 'refused':
      return <Status state="warn">{texts.refused}</Status>
    case 'expired':
      return <Status state="broken">{texts.expired}</Status>
    case 'valid':
      return (
        <span className={styles['state']}>
          <Status state={problem === null ? 'live' : 'warn'}>
            {problem === null ? states.live : states.warned}
          </Status>
          {validUntil !== null && <span>{texts.until(dayOf(validUntil))}</span>}
        </span>
      )
  }
}
