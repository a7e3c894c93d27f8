import { useQuery } from '@tanstack/react-query'
import { ForeignSiteRow } from './foreign-site-row.tsx'
import '#web/words/own-foreign.ts'
import { foreignSitesQuery } from '#web/server/queries.ts'
import { words } from '#web/words/words.ts'
import styles from './foreign-sites.module.css'

interface ForeignSitesProps {
  /** Record keys of the account's sites. */
  readonly taken: readonly string[]
}

/** The account's sites of other networks, below its own; nothing where there are none. */
export default function ForeignSites({ taken }: ForeignSitesProps) {
  const { data: sites = [] } = useQuery(foreignSitesQuery)
  const { foreign } = words
  const networks = [...new Set(sites.map(({ network }) => network))]
  return networks.map((network) => (
    <section aria-labelledby={`of-${network}`} className={styles['foreign']} key={network}>
      <h2 id={`of-${network}`}>{foreign.title(network)}</h2>
      <p className={styles['text']}>{foreign.text}</p>
      <ul className={styles['rows']}>
        {sites
          .filter((site) => site.network === network)
          .map((site) => (
            <ForeignSiteRow key={site.name} site={site} taken={taken} />
          ))}
      </ul>
    </section>
  ))
}
