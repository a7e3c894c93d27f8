import { Copy, ExternalLink, FolderUp, Globe, Settings } from 'lucide-react'
import type { Site } from '#api/contract/client.ts'
import { bestAddress } from '#site/best-address.ts'
import { Icon } from '#web/parts/icon.tsx'
import { Menu, MenuButton, MenuGroup, MenuLink } from '#web/parts/overlays/menu.tsx'
import { menuIcons } from '#web/parts/overlays/menu-icons.ts'
import { toast } from '#web/shell/toasts.ts'
import { nameOf, pageOf } from '#web/site/site-facts.ts'
import { words } from '#web/words/words.ts'

/** What needs a dialog of the page. */
export type RowAction = 'update' | 'delete'

interface SiteMenuProps {
  readonly site: Site
  readonly onAsk: (action: RowAction, site: Site) => void
}

/** What can be done with a site without opening its page. */
export function SiteMenu({ site, onAsk }: SiteMenuProps) {
  const { menu } = words.sites
  const { href } = bestAddress(site)
  return (
    <Menu button={<Icon of={menuIcons.more} size={20} />} label={menu.more(nameOf(site))}>
      <MenuButton icon={ExternalLink} onClick={() => void window.open(href, '_blank', 'noopener')}>
        {menu.open}
      </MenuButton>
      <MenuButton icon={FolderUp} onClick={() => onAsk('update', site)}>
        {menu.update}
      </MenuButton>
      <MenuButton icon={Copy} onClick={() => void copy(href)}>
        {menu.copy}
      </MenuButton>
      <MenuGroup>
        <MenuLink href={`${pageOf(site)}/domains`} icon={Globe}>
          {words.site.tabs.domains}
        </MenuLink>
        <MenuLink href={`${pageOf(site)}/settings`} icon={Settings}>
          {words.site.tabs.settings}
        </MenuLink>
      </MenuGroup>
      <MenuGroup>
        <MenuButton icon={menuIcons.delete} isDestructive onClick={() => onAsk('delete', site)}>
          {menu.delete}
        </MenuButton>
      </MenuGroup>
    </Menu>
  )
}

async function copy(href: string): Promise<void> {
  const { copiedOf, copyFailed } = words.parts
  const { address } = words.site
  await navigator.clipboard.writeText(href).then(
    () => toast(copiedOf(address)),
    () => toast(copyFailed(address), { tone: 'danger' }),
  )
}
