import type { Site } from '#api/contract/client.ts'
import { Status } from '#web/parts/status.tsx'
import { addressOf } from '#web/site/best-address.ts'
import { pageOf } from '#web/site/site-facts.ts'
import { words } from '#web/words/words.ts'
import styles from './addresses.module.css'
import { Card } from './card.tsx'

/** Under which addresses visitors find the site, the permanent one last. */
export function Addresses({ site }: { site: Site }) {
  const { overview } = words.site
  const { states } = words.domains
  return (
    <Card
      more={{ name: overview.allDomains, href: `${pageOf(site)}/domains` }}
      title={words.domains.title}
    >
      <ul className={styles['addresses']}>
        {site.domains.map((row) => {
          const isServed = row.type === 'sitehost' || row.verified
          return (
            <li key={row.domain}>
              <Address domain={row.domain} site={site} />
              <Status state={isServed ? 'live' : 'waiting'}>
                {isServed ? states.live : states.waiting}
              </Status>
            </li>
          )
        })}
        <li>
          <Address domain={null} site={site} />
          <Status state="resting">{states.permanent}</Status>
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
