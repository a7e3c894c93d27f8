import type { Site } from '#api/contract/client.ts'
import { type CustomDomain, choosePrimary } from '#web/server/api.ts'
import { ChoiceForm } from './choice-form.tsx'
import styles from './names-page.module.css'

interface PrimaryAddressesProps {
  readonly sites: readonly Site[]
  readonly customDomains: readonly CustomDomain[]
  readonly onChanged: (what: string) => void
}

/** For each site with names, which of them the others lead to; nothing while there is none. */
export function PrimaryAddresses({ sites, customDomains, onChanged }: PrimaryAddressesProps) {
  const named = sites
    .map((site) => ({ site, choices: servedNames(site) }))
    .filter(({ choices }) => choices.length > 0)
  if (named.length === 0) return null
  // Where a proxy stands in front, it leads elsewhere and works all the same: nothing is refused.
  const warningOf = (domain: string) => {
    const warning = customDomains.find((custom) => custom.domain === domain)?.warning ?? null
    return warning && `Visitors of the site’s other names would be sent to ${domain}. ${warning}`
  }
  return (
    <section aria-labelledby="primary" className={styles['section']}>
      <h2 id="primary">Primary addresses</h2>
      <p>Visitors of a site’s other names are sent on to its primary address.</p>
      {named.map(({ site, choices }) => (
        <ChoiceForm
          choices={choices}
          key={site.rkey}
          label={`Primary address of ${site.rkey}`}
          none="None: each name shows the site"
          onSave={async (domain) => {
            await choosePrimary(site.rkey, domain)
            onChanged(`The primary address of ${site.rkey} is ${domain ?? 'none'} now.`)
          }}
          value={site.primary ?? ''}
          warningOf={warningOf}
        />
      ))}
    </section>
  )
}

const servedNames = ({ domains }: Site): string[] =>
  domains.filter((each) => each.type === 'sitehost' || each.verified).map(({ domain }) => domain)
