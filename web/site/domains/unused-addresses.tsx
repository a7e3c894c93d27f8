import { useQueryClient } from '@tanstack/react-query'
import { Button } from '#web/parts/button.tsx'
import { Problem } from '#web/parts/problem.tsx'
import { mapDomain, mapName, type Names } from '#web/server/api.ts'
import { refreshAddresses } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import type { Address } from './address.ts'
import { AddressMenu } from './address-menu.tsx'
import styles from './unused-addresses.module.css'

/** What the account has and no site shows, for this site to take. */
export function UnusedAddresses({ names, rkey }: { names: Names; rkey: string }) {
  const unused = [
    ...names.sitehostDomains
      .filter((each) => each.rkey === '')
      .map(({ domain }) => ({ domain, custom: null })),
    ...names.customDomains
      .filter((each) => each.rkey === null)
      .map((custom) => ({ domain: custom.domain, custom })),
  ]
  return unused.length === 0 ? null : <List rkey={rkey} unused={unused} />
}

type Unused = Pick<Address, 'custom' | 'domain'>

function List({ unused, rkey }: { unused: readonly Unused[]; rkey: string }) {
  const texts = words.domains.unused
  const client = useQueryClient()
  const { isBusy, problem, run } = useAction()
  const take = ({ domain, custom }: Unused) =>
    run(async () => {
      await (custom === null ? mapName(domain, rkey) : mapDomain(custom.id, rkey))
      toast(texts.taken(domain))
      await refreshAddresses(client)
    })
  return (
    <section aria-labelledby="unused" className={styles['unused']}>
      <h2 id="unused">{texts.title}</h2>
      <ul>
        {unused.map((each) => (
          <li key={each.domain}>
            <bdi>{each.domain}</bdi>
            <Button
              aria-label={texts.takeOf(each.domain)}
              isBusy={isBusy}
              look="secondary"
              onClick={() => void take(each)}
            >
              {texts.take}
            </Button>
            <AddressMenu address={each} />
          </li>
        ))}
      </ul>
      {problem !== null && <Problem>{problem}</Problem>}
    </section>
  )
}
