import { useQueryClient } from '@tanstack/react-query'
import { Copy, ExternalLink, Pin } from 'lucide-react'
import { useState } from 'react'
import { Icon } from '#web/parts/icon.tsx'
import { Menu, MenuButton, MenuGroup } from '#web/parts/overlays/menu.tsx'
import { menuIcons } from '#web/parts/overlays/menu-icons.ts'
import { addressOf } from '#web/server/api.ts'
import type { Version } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import { changeVersion } from './change-version.ts'
import { ForgetDialog } from './forget-dialog.tsx'
import { MessageDialog } from './message-dialog.tsx'

interface VersionMenuProps {
  readonly rkey: string
  readonly version: Version
  /** As the list calls it. */
  readonly title: string
}

/** What can be done with a version besides restoring it. */
export function VersionMenu({ rkey, version, title }: VersionMenuProps) {
  const { id, pinned, state, url } = version
  const texts = words.versions
  const client = useQueryClient()
  const { run, problem } = useAction()
  const [open, setOpen] = useState<'message' | 'forget' | null>(null)
  const hasFiles = state === 'live' || state === 'replaced' || state === 'preview'
  // A state that another program wrote has no record to write this into.
  const isOwn = version.by === 'owner' && hasFiles
  const togglePin = () =>
    run(async () => {
      await changeVersion(client, rkey, id, { pinned: !pinned })
      toast(pinned ? texts.unpinnedNow : texts.pinnedNow)
    })
  const archive = addressOf('GET /api/site/:rkey/versions/:id/archive', { params: { rkey, id } })
  return (
    <>
      <Menu button={<Icon of={menuIcons.more} size={20} />} label={texts.more(title)}>
        {url !== null && (
          <>
            <MenuButton
              icon={ExternalLink}
              onClick={() => void window.open(url, '_blank', 'noopener')}
            >
              {texts.openVersion}
            </MenuButton>
            <MenuButton icon={Copy} onClick={() => void copy(url)}>
              {texts.copyAddress}
            </MenuButton>
          </>
        )}
        {hasFiles && (
          <MenuButton icon={menuIcons.download} onClick={() => location.assign(archive.path)}>
            {texts.download}
          </MenuButton>
        )}
        {isOwn && (
          <>
            <MenuButton icon={menuIcons.edit} onClick={() => setOpen('message')}>
              {texts.editMessage}
            </MenuButton>
            {state !== 'preview' && (
              <MenuButton icon={Pin} onClick={() => void togglePin()}>
                {pinned ? texts.unpin : texts.pin}
              </MenuButton>
            )}
          </>
        )}
        {state !== 'live' && (
          <MenuGroup>
            <MenuButton icon={menuIcons.delete} isDestructive onClick={() => setOpen('forget')}>
              {texts.forget}
            </MenuButton>
          </MenuGroup>
        )}
      </Menu>
      {problem !== null && <span role="alert">{problem}</span>}
      <MessageDialog
        isOpen={open === 'message'}
        onClose={() => setOpen(null)}
        rkey={rkey}
        version={version}
      />
      <ForgetDialog
        isOpen={open === 'forget'}
        onClose={() => setOpen(null)}
        rkey={rkey}
        version={version}
      />
    </>
  )
}

async function copy(url: string): Promise<void> {
  const { copiedOf, copyFailed } = words.parts
  const what = words.versions.address
  await navigator.clipboard.writeText(url).then(
    () => toast(copiedOf(what)),
    () => toast(copyFailed(what), { tone: 'danger' }),
  )
}
