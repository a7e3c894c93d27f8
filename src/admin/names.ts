import type { Verification } from '#domains/verification.ts'
import { type VerifyContext, verifyDomain } from '#domains/verify-domain.ts'
import { deleteCustomDomain } from '#store/names/change-custom-domain.ts'
import { findRegisteredDomain } from '#store/names/custom-domains.ts'
import { forgetKeptSubdomain } from '#store/names/kept-subdomains.ts'
import { findSubdomain, releaseSubdomain } from '#store/names/subdomains.ts'
import { type AdminContext, audited, type By } from './action.ts'

/** Looks a custom domain up now, as its daily check does. Null: no account has added it. */
export async function recheckDomain(
  domain: string,
  by: By,
  context: AdminContext & VerifyContext,
): Promise<Verification | null> {
  const found = await audited(
    { action: 'domain.recheck', subject: domain },
    by,
    context,
    (transaction) => findRegisteredDomain(transaction, domain),
  )
  return found === null ? null : await verifyDomain(found, context)
}

/**
 * Takes a subdomain or a custom domain from the account that has it, with all that it leads to. A subdomain is not kept
 * for that account: everybody may claim it at once. False: nobody has it.
 */
export async function releaseName(domain: string, by: By, context: AdminContext): Promise<boolean> {
  const { now, wakeUps } = context
  const released = await audited(
    { action: 'name.release', subject: domain },
    by,
    context,
    async (transaction) => {
      const subdomain = await findSubdomain(transaction, domain)
      if (subdomain !== null) {
        const isReleased = await releaseSubdomain(transaction, subdomain, now())
        await forgetKeptSubdomain(transaction, domain)
        return isReleased
      }
      const custom = await findRegisteredDomain(transaction, domain)
      return custom !== null && (await deleteCustomDomain(transaction, custom, now()))
    },
  )
  wakeUps.notify('changes')
  return released
}
