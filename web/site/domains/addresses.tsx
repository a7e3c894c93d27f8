import type { Site } from '#api/contract/client.ts'
import { addressOf } from '#site/best-address.ts'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { type Column, Table } from '#web/parts/table.tsx'
import type { Names } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'
import type { Address } from './address.ts'
import { AddressMenu } from './address-menu.tsx'
import { AddressState } from './address-state.tsx'
import styles from './addresses.module.css'
import { PrimaryButton } from './primary-button.tsx'

/** All addresses of a site, the permanent one last. */
export function Addresses({ site, names }: { site: Site; names: Names }) {
  const texts = words.domains
  const rows = addressesOf(site, names)
  const hasChoice = rows.filter(isServed).length > 1
  const columns: Column<Address>[] = [
    {
      name: texts.table.address,
      cell: ({ domain }) => {
        const { href, host } = addressOf(domain, site.url)
        return (
          <span className={styles['address']}>
            <a href={href} rel="noopener" target="_blank">
              <bdi>{host}</bdi>
            </a>
            <CopyButton isSmall text={href} what={texts.address(domain)} />
          </span>
        )
      },
    },
    { name: texts.table.state, cell: (row) => <AddressState {...row} /> },
    {
      name: texts.table.primary,
      cell: (row) => hasChoice && isServed(row) && <PrimaryButton address={row} rkey={site.rkey} />,
    },
    {
      name: texts.table.actions,
      isUnnamed: true,
      cell: (row) => row.kind !== 'permanent' && <AddressMenu address={row} />,
    },
  ]
  return (
    <div className={styles['addresses']}>
      <Table
        caption={texts.table.caption}
        columns={columns}
        keyOf={({ domain }) => domain}
        rows={rows}
      />
      {hasChoice && <p className={styles['hint']}>{texts.primaryHint}</p>}
    </div>
  )
}

function addressesOf(site: Site, { customDomains }: Names): Address[] {
  const named = site.domains.map((row): Address => {
    const custom = customDomains.find(({ domain }) => domain === row.domain) ?? null
    const kind = row.type === 'custom' ? 'own' : 'claimed'
    return { domain: row.domain, kind, custom, isPrimary: site.primary === row.domain }
  })
  const permanent = new URL(site.url).hostname
  return [...named, { domain: permanent, kind: 'permanent', custom: null, isPrimary: false }]
}

/** Whether visitors reach the site by it, and the owner may choose it. */
const isServed = ({ kind, custom }: Address): boolean =>
  kind === 'claimed' || (kind === 'own' && custom?.verified === true)
