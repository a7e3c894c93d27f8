import { Status } from '#web/parts/status.tsx'
import type { CustomDomain } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'

interface AddressStateProps {
  readonly kind: 'permanent' | 'claimed' | 'own'
  /** Of a domain of the owner's, as far as it is known. */
  readonly custom: Pick<CustomDomain, 'verified' | 'lost' | 'warning'> | null
}

/** Whether visitors reach a site by an address, and what its owner should look at. */
export function AddressState({ kind, custom }: AddressStateProps) {
  const { states } = words.domains
  if (kind === 'permanent') return <Status state="resting">{states.permanent}</Status>
  if (custom?.lost) return <Status state="broken">{states.lost}</Status>
  if (kind === 'own' && !custom?.verified) return <Status state="waiting">{states.waiting}</Status>
  if (custom?.warning) return <Status state="warn">{states.warned}</Status>
  return <Status state="live">{states.live}</Status>
}
