import { useQuery } from '@tanstack/react-query'
import { ChevronsUpDown, LayoutList } from 'lucide-react'
import type { Site } from '#api/contract/client.ts'
import { Icon } from '#web/parts/icon.tsx'
import { Menu, MenuGroup, MenuLink } from '#web/parts/overlays/menu.tsx'
import { sitesQuery } from '#web/server/queries.ts'
import { useAddress } from '#web/shell/routing/address.ts'
import { useRouter } from '#web/shell/routing/router.ts'
import { nameOf, newestFirst, pageOf } from '#web/site/site-facts.ts'
import { words } from '#web/words/words.ts'
import styles from './site-switcher.module.css'

const shownMax = 8

/** The site that is open, and the way to another one. */
export function SiteSwitcher() {
  const { data: sites = [] } = useQuery(sitesQuery)
  const { params } = useRouter().match(useAddress().pathname)
  const rkey = params['rkey']
  const current = sites.find((site) => site.rkey === rkey)
  const { shell } = words
  const name = current === undefined ? (rkey ?? shell.sites) : nameOf(current)
  return (
    <Menu
      align="start"
      button={
        <>
          <span className={styles['name']}>{name}</span>
          <Icon of={ChevronsUpDown} />
        </>
      }
      buttonClass={styles['switcher']}
      label={shell.chooseSite(name)}
    >
      <Choices rkey={rkey} sites={sites} />
    </Menu>
  )
}

interface ChoicesProps {
  readonly sites: readonly Site[]
  /** Of the site that is open. */
  readonly rkey: string | undefined
}

/** Of the open menu only. */
function Choices({ sites, rkey }: ChoicesProps) {
  const { shell } = words
  const rest = sites.length - shownMax
  return (
    <>
      {sites.length > 0 && (
        <MenuGroup>
          {sites
            .toSorted(newestFirst)
            .slice(0, shownMax)
            .map((site) => (
              <MenuLink
                aria-current={site.rkey === rkey ? 'page' : undefined}
                href={pageOf(site)}
                key={site.rkey}
              >
                {nameOf(site)}
              </MenuLink>
            ))}
        </MenuGroup>
      )}
      <MenuGroup>
        <MenuLink href="/editor" icon={LayoutList}>
          {shell.allSites}
          {rest > 0 && <span className={styles['rest']}>{shell.moreSites(rest)}</span>}
        </MenuLink>
      </MenuGroup>
    </>
  )
}
