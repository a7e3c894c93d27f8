import { useQuery } from '@tanstack/react-query'
import type { Site } from '#api/contract/client.ts'
import { Notice } from '#web/parts/notice.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import type { Names } from '#web/server/api.ts'
import { namesQuery, siteQuery } from '#web/server/queries.ts'
import { Page } from '#web/shell/routing/page.tsx'
import type { PageProps } from '#web/shell/routing/router.ts'
import { words } from '#web/words/words.ts'
import './address-modules.ts'
import { AddDomain } from './add-domain.tsx'
import { Addresses } from './addresses.tsx'
import { CertificateProblem } from './certificate-problem.tsx'
import { ClaimAddress } from './claim-address.tsx'
import { DnsCard } from './dns-card.tsx'
import styles from './domains-page.module.css'
import { UnusedAddresses } from './unused-addresses.tsx'

/** `/sites/:rkey/domains`: under which addresses a site is, and how to get better ones. */
export default function DomainsPage({ params: { rkey = '' } }: PageProps) {
  const { data: site } = useQuery(siteQuery(rkey))
  const { data: names, error } = useQuery({
    ...namesQuery,
    refetchInterval: ({ state }) => (isWaited(state.data) ? refreshMs : false),
  })
  return (
    <Page title={`${words.domains.title} · ${rkey}`}>
      <p className={styles['intro']}>{words.domains.intro}</p>
      {error !== null && names === undefined && (
        <Notice tone="danger">
          <p>{error.message}</p>
        </Notice>
      )}
      {names === undefined && error === null && <Skeleton count={3} shape="row" />}
      {site && names !== undefined && <Sections names={names} site={site} />}
    </Page>
  )
}

const refreshMs = 5_000

/** Whether a certificate may come while somebody looks. */
const isWaited = (names: Names | undefined): boolean =>
  names?.customDomains.some(({ certificate }) => certificate?.state === 'ordered') ?? false

function Sections({ names, site }: { names: Names; site: Site }) {
  const { rkey } = site
  const unfinished = names.customDomains.filter(
    (each) => each.rkey === rkey && (!each.verified || each.warning !== null),
  )
  const { claim, own } = words.domains
  return (
    <>
      <Addresses names={names} site={site} />
      {names.customDomains.map(
        (custom) => custom.rkey === rkey && <CertificateProblem custom={custom} key={custom.id} />,
      )}
      {unfinished.map((custom) => (
        <DnsCard custom={custom} key={custom.id} />
      ))}
      <section aria-labelledby="claim" className={styles['section']}>
        <h2 id="claim">{claim.title}</h2>
        <ClaimAddress rkey={rkey} />
      </section>
      <section aria-labelledby="own" className={styles['section']}>
        <h2 id="own">{own.title}</h2>
        <AddDomain rkey={rkey} />
      </section>
      <UnusedAddresses names={names} rkey={rkey} />
    </>
  )
}
