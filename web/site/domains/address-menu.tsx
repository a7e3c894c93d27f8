import { useQueryClient } from '@tanstack/react-query'
import { Unlink } from 'lucide-react'
import { useState } from 'react'
import { Icon } from '#web/parts/icon.tsx'
import { ConfirmDialog } from '#web/parts/overlays/confirm.tsx'
import { Menu, MenuButton, MenuGroup } from '#web/parts/overlays/menu.tsx'
import { menuIcons } from '#web/parts/overlays/menu-icons.ts'
import { deleteDomain, mapDomain, mapName, releaseName } from '#web/server/api.ts'
import { refreshAddresses } from '#web/server/queries.ts'
import { leaveIfSignedOut } from '#web/server/session.ts'
import { problemOf } from '#web/shell/page-errors.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import type { Address } from './address.ts'
import { RenameDialog } from './rename-dialog.tsx'

interface AddressMenuProps {
  readonly address: Pick<Address, 'custom' | 'domain'>
  /** No site shows it. */
  readonly isUnused?: boolean
}

/** What can be done with an address: using it no longer here, changing it, giving it up. */
export function AddressMenu({ address, isUnused = false }: AddressMenuProps) {
  const { custom, domain } = address
  const texts = words.domains
  const client = useQueryClient()
  const [open, setOpen] = useState<'rename' | 'end' | null>(null)
  const act = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work()
      toast(done)
    } catch (error) {
      if (leaveIfSignedOut(error)) return
      toast(problemOf(error), { tone: 'danger' })
    } finally {
      await refreshAddresses(client)
    }
  }
  const detach = () =>
    act(
      () => (custom === null ? mapName(domain, null) : mapDomain(custom.id, null)),
      texts.detached(domain),
    )
  const end = () =>
    custom === null
      ? act(() => releaseName(domain), texts.gaveUp(domain))
      : act(() => deleteDomain(custom.id), texts.removed(domain))
  return (
    <>
      <Menu button={<Icon of={menuIcons.more} size={20} />} label={texts.more(domain)}>
        {custom === null && (
          <MenuButton icon={menuIcons.edit} onClick={() => setOpen('rename')}>
            {texts.rename}
          </MenuButton>
        )}
        {!isUnused && (
          <MenuButton icon={Unlink} onClick={() => void detach()}>
            {texts.detach}
          </MenuButton>
        )}
        <MenuGroup>
          <MenuButton icon={menuIcons.delete} isDestructive onClick={() => setOpen('end')}>
            {custom === null ? texts.giveUp : texts.remove}
          </MenuButton>
        </MenuGroup>
      </Menu>
      <RenameDialog domain={domain} isOpen={open === 'rename'} onClose={() => setOpen(null)} />
      <ConfirmDialog
        isOpen={open === 'end'}
        onClose={() => setOpen(null)}
        onConfirm={() => void end()}
        title={custom === null ? texts.giveUpTitle(domain) : texts.removeTitle(domain)}
        yes={custom === null ? texts.giveUpYes : texts.removeYes}
      >
        <p>{custom === null ? texts.giveUpText : texts.removeText}</p>
      </ConfirmDialog>
    </>
  )
}
