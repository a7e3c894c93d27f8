import { useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { Confirm } from '#web/parts/confirm.tsx'
import { Problem } from '#web/parts/problem.tsx'
import {
  type CustomDomain,
  deleteDomain,
  listNames,
  mapDomain,
  verifyDomain,
} from '#web/server/api.ts'
import { useAction } from '#web/server/use-action.ts'
import { DnsRecords } from './dns-records.tsx'
import { lookUpNews } from './look-up-news.ts'
import styles from './name-item.module.css'
import { SiteChoice } from './site-choice.tsx'

interface CustomDomainItemProps {
  readonly custom: CustomDomain
  readonly siteNames: readonly string[]
  readonly addressOf: (domain: string) => string
  /** Tells what has changed. */
  readonly onChanged: (what: string) => void
}

/** Somebody's own domain: its records, whether it is theirs, where it leads, and taking it away. */
export function CustomDomainItem(props: CustomDomainItemProps) {
  const { custom, siteNames, addressOf, onChanged } = props
  const { id, domain, verified, rkey, warning, dns } = custom
  const { isBusy, problem, run } = useAction()
  const [found, setFound] = useState<string | null>(null)
  const verify = () =>
    run(async () => {
      const answer = await verifyDomain(id)
      const { customDomains } = await listNames()
      const after = customDomains.find((each) => each.id === id) ?? custom
      const told = lookUpNews(custom, answer, after)
      setFound(told.problem)
      onChanged(told.news)
    })
  const map = async (site: string | null) => {
    await mapDomain(id, site)
    onChanged(site === null ? `${domain} shows no site now.` : `${domain} shows ${site} now.`)
  }
  const remove = () =>
    run(async () => {
      await deleteDomain(id)
      onChanged(`${domain} is deleted.`)
    })
  return (
    <li className={styles['item']}>
      <h3>{verified && rkey !== null ? <a href={addressOf(domain)}>{domain}</a> : domain}</h3>
      <p className={verified ? styles['verified'] : styles['waiting']}>
        {verified ? 'Verified.' : 'Waiting for DNS. Set the records below, then verify.'}
      </p>
      {found !== null && <Problem>{found}</Problem>}
      {warning !== null && <Problem>{warning}</Problem>}
      <details open={!verified}>
        <summary>DNS records to set</summary>
        <DnsRecords dns={dns} />
      </details>
      <SiteChoice domain={domain} onSave={map} siteNames={siteNames} value={rkey ?? ''} />
      <div className={styles['buttons']}>
        <Button
          aria-label={`${verified ? 'Check again' : 'Verify'}: ${domain}`}
          isBusy={isBusy}
          look={verified ? 'secondary' : 'primary'}
          onClick={() => void verify()}
        >
          {isBusy ? 'Checking…' : verified ? 'Check again' : 'Verify'}
        </Button>
        <Confirm
          isBusy={isBusy}
          label="Delete"
          onConfirm={() => void remove()}
          title={`Delete ${domain}?`}
          yes="Delete"
        >
          <p>
            It does not show your site any more. Its records at your provider are yours to remove.
          </p>
        </Confirm>
      </div>
      {problem !== null && <Problem>{problem}</Problem>}
    </li>
  )
}
