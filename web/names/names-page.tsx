import { useCallback, useState } from 'react'
import type { Site } from '#api/contract/client.ts'
import { Problem } from '#web/parts/problem.tsx'
import { Told } from '#web/parts/told.tsx'
import { addDomain, claimName, listNames, listSites, type Names } from '#web/server/api.ts'
import { useLoaded } from '#web/server/use-loaded.ts'
import { Page } from '#web/shell/page.tsx'
import { CustomDomainItem } from './custom-domain-item.tsx'
import { NameForm } from './name-form.tsx'
import styles from './names-page.module.css'
import { PrimaryAddresses } from './primary-addresses.tsx'
import { SubdomainItem } from './subdomain-item.tsx'
import { hostOf, labelOf } from './typed-name.ts'

const readAll = async () => ({ names: await listNames(), sites: await listSites() })

/** `/names`: which names someone's sites have, and how to get more. */
export default function NamesPage() {
  const [all, reload] = useLoaded(readAll)
  const [told, setTold] = useState('')
  const onChanged = useCallback(
    (what: string) => {
      setTold(what)
      reload()
    },
    [reload],
  )
  return (
    <Page title="Names">
      <div className={styles['opening']}>
        <h1>Names</h1>
        <p>Every site has a permanent address. Add better ones here.</p>
        <Told loaded={all} text={told} />
      </div>
      {all.state === 'loading' && <p>Loading…</p>}
      {all.state === 'failed' && <Problem>{all.message}</Problem>}
      {all.state === 'loaded' && <NameSections {...all.value} onChanged={onChanged} />}
    </Page>
  )
}

interface NameSectionsProps {
  readonly names: Names
  readonly sites: readonly Site[]
  readonly onChanged: (what: string) => void
}

function NameSections({ names, sites, onChanged }: NameSectionsProps) {
  const siteNames = sites.map(({ rkey }) => rkey)
  const shared = { siteNames, addressOf, onChanged }
  const claim = async (typed: string) =>
    onChanged(`${await claimName(await labelOf(typed))} is yours.`)
  const add = async (typed: string) => {
    const { domain } = await addDomain(hostOf(typed))
    onChanged(`${domain} is added. Set its records, then verify it.`)
  }
  return (
    <>
      <section aria-labelledby="claimed" className={styles['section']}>
        <h2 id="claimed">Addresses</h2>
        <ul className={styles['list']}>
          {names.sitehostDomains.map((subdomain) => (
            <SubdomainItem key={subdomain.domain} subdomain={subdomain} {...shared} />
          ))}
        </ul>
        <NameForm
          field="handle"
          hint="3 to 63 letters, digits and single dashes. Some names are reserved."
          label="Choose an address"
          onSubmit={claim}
          submit="Get it"
        />
      </section>
      <section aria-labelledby="own" className={styles['section']}>
        <h2 id="own">Your own domains</h2>
        <ul className={styles['list']}>
          {names.customDomains.map((custom) => (
            <CustomDomainItem custom={custom} key={custom.id} {...shared} />
          ))}
        </ul>
        <NameForm
          field="domain"
          hint="A domain that you own, such as www.example.com. The DNS records to set come next."
          label="Domain to add"
          onSubmit={add}
          submit="Add"
        />
      </section>
      <PrimaryAddresses customDomains={names.customDomains} onChanged={onChanged} sites={sites} />
    </>
  )
}

/** On the scheme and the port of the application. */
function addressOf(domain: string): string {
  const address = new URL('/', location.origin)
  address.hostname = domain
  return address.href
}
