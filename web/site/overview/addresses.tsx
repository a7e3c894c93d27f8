import { useQuery } from '@tanstack/react-query'
import type { Site } from '#api/contract/client.ts'
import { addressOf } from '#site/best-address.ts'
import { namesQuery } from '#web/server/queries.ts'
import { AddressState } from '#web/site/domains/address-state.tsx'
import { pageOf } from '#web/site/site-facts.ts'
import { words } from '#web/words/words.ts'
import styles from './addresses.module.css'
import { Card } from './card.tsx'

/** Under which addresses visitors find the site, the permanent one last. */
export function Addresses({ site }: { site: Site }) {
  const { overview } = words.site
  // Only of the owner's domains there is more to know.
  const enabled = site.domains.some(({ type }) => type === 'custom')
  const { data: names } = useQuery({ ...namesQuery, enabled })
  return (
    <Card
      more={{ name: overview.allDomains, href: `${pageOf(site)}/domains` }}
      title={words.domains.title}
    >
      <ul className={styles['addresses']}>
        {site.domains.map((row) => {
          const known = names?.customDomains.find(({ domain }) => domain === row.domain)
          const plain = { verified: true, lost: false, warning: null }
          const custom =
            row.type === 'custom' ? (known ?? { ...plain, verified: row.verified }) : null
          return (
            <li key={row.domain}>
              <Address domain={row.domain} site={site} />
              <AddressState custom={custom} kind={custom === null ? 'claimed' : 'own'} />
            </li>
          )
        })}
        <li>
          <Address domain={null} site={site} />
          <AddressState custom={null} kind="permanent" />
        </li>
      </ul>
    </Card>
  )
}

function Address({ site, domain }: { site: Site; domain: string | null }) {
  const { host, href } = addressOf(domain, site.url)
  return (
    <a href={href} rel="noopener" target="_blank">
      <bdi>{host}</bdi>
    </a>
  )
}
