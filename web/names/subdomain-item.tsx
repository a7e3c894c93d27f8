import { useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { Confirm } from '#web/parts/confirm.tsx'
import { Problem } from '#web/parts/problem.tsx'
import { mapName, releaseName, renameName, type Subdomain } from '#web/server/api.ts'
import { useAction } from '#web/server/use-action.ts'
import { NameForm } from './name-form.tsx'
import styles from './name-item.module.css'
import { SiteChoice } from './site-choice.tsx'
import { labelOf } from './typed-name.ts'

interface SubdomainItemProps {
  readonly subdomain: Subdomain
  readonly siteNames: readonly string[]
  readonly addressOf: (domain: string) => string
  /** Tells what has changed. */
  readonly onChanged: (what: string) => void
}

/** A claimed name: where it leads, another name for it, and giving it up. */
export function SubdomainItem(props: SubdomainItemProps) {
  const { subdomain, siteNames, addressOf, onChanged } = props
  const { domain, rkey } = subdomain
  const [isRenaming, setRenaming] = useState(false)
  const { isBusy, problem, run } = useAction()
  const map = async (site: string | null) => {
    await mapName(domain, site)
    onChanged(site === null ? `${domain} shows no site now.` : `${domain} shows ${site} now.`)
  }
  const rename = async (handle: string) => {
    const renamed = await renameName(domain, await labelOf(handle))
    onChanged(`${domain} is ${renamed} now.`)
  }
  const release = () =>
    run(async () => {
      await releaseName(domain)
      onChanged(`You gave up ${domain}.`)
    })
  return (
    <li className={styles['item']}>
      <h3>{rkey === '' ? domain : <a href={addressOf(domain)}>{domain}</a>}</h3>
      <SiteChoice domain={domain} onSave={map} siteNames={siteNames} value={rkey} />
      {isRenaming && (
        <NameForm
          field="handle"
          hint="Links to the old address stop working. It stays reserved for you for 30 days."
          label={`New name for ${domain}`}
          onSubmit={rename}
          submit="Rename"
          takesFocus
        />
      )}
      <div className={styles['buttons']}>
        <Button
          aria-label={`${isRenaming ? 'Keep this name' : 'Rename'}: ${domain}`}
          look="secondary"
          onClick={() => setRenaming(!isRenaming)}
        >
          {isRenaming ? 'Keep this name' : 'Rename'}
        </Button>
        <Confirm
          isBusy={isBusy}
          label="Give up"
          onConfirm={() => void release()}
          title={`Give up ${domain}?`}
          yes="Give it up"
        >
          <p>
            Links to this address stop working; the site stays. The address stays reserved for you
            for 30 days, then anybody can get it.
          </p>
        </Confirm>
      </div>
      {problem !== null && <Problem>{problem}</Problem>}
    </li>
  )
}
