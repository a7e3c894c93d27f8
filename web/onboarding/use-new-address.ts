import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { claimName, mapName } from '#web/server/api.ts'
import { instance } from '#web/server/instance.ts'
import { keep, readKept } from '#web/server/kept-answers.ts'
import { refreshAddresses } from '#web/server/queries.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { problemOf } from '#web/shell/page-errors.ts'
import { toast } from '#web/shell/toasts.ts'
import { addressProblem } from '#web/site/domains/address-field.tsx'
import { labelOf } from '#web/site/domains/typed-host.ts'
import { type NameCheck, useNameCheck } from '#web/site/domains/use-name-check.ts'
import { words } from '#web/words/words.ts'

/** The address that a new site is to have, from its first letter until the site is live there. */
export interface NewAddress {
  readonly typed: string
  readonly onType: (typed: string) => void
  readonly check: NameCheck
  /** Why the address cannot be had, or null. None has to be chosen. */
  readonly problem: string | null
  /** Why the site that went live is not at its address, or null. */
  readonly failure: { readonly siteName: string; readonly why: string } | null
  /** This site is about to be published; a reload does not change which address it gets. */
  readonly want: (siteName: string) => void
  /** The site is live: it gets its address. */
  readonly give: (siteName: string) => Promise<void>
}

export function useNewAddress(): NewAddress {
  const client = useQueryClient()
  const [typed, setTyped] = useState('')
  const [failure, setFailure] = useState<NewAddress['failure']>(null)
  const label = labelOf(typed, instance.baseDomain)
  const check = useNameCheck(label)
  const give = async (siteName: string) => {
    const wanted = readKept(wantedKey) as Wanted | null | undefined
    if (wanted?.siteName !== siteName) return
    keep(wantedKey, null)
    setTyped('')
    try {
      const domain = await claimName(wanted.label)
      await mapName(domain, siteName)
      toast(words.domains.claim.claimed(domain))
    } catch (error) {
      if (leaveIfSignedOut(error)) return
      const why = problemOf(error)
      setFailure({ siteName, why })
    }
    await refreshAddresses(client)
  }
  return {
    typed,
    onType: setTyped,
    check,
    problem: addressProblem(check),
    failure,
    want: (siteName) => {
      setFailure(null)
      keep(wantedKey, label === '' ? null : { siteName, label })
    },
    give,
  }
}

interface Wanted {
  readonly siteName: string
  readonly label: string
}

const wantedKey = ['new-address'] as const
