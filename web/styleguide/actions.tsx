import { Download, Ellipsis, Plus, Settings, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { IconButton } from '#web/parts/controls/icon-button.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { Confirm } from '#web/parts/overlays/confirm.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { Menu, MenuButton, MenuGroup, MenuLink } from '#web/parts/overlays/menu.tsx'
import { Tabs } from '#web/parts/tabs.tsx'
import { toast } from '#web/shell/toasts.ts'
import { longText, Section, Specimen } from './section.tsx'
import styles from './styleguide-page.module.css'

const looks = ['primary', 'secondary', 'ghost', 'danger'] as const

export function Actions() {
  return (
    <Section title="Actions">
      {looks.map((look) => (
        <Specimen key={look} name={`Button: ${look}`}>
          <div className={styles['row']}>
            <Button look={look}>Publish site</Button>
            <Button icon={Plus} look={look}>
              New site
            </Button>
            <Button isBusy look={look}>
              Publishing…
            </Button>
            <Button disabled look={look}>
              Disabled
            </Button>
          </div>
        </Specimen>
      ))}
      <Specimen name="Button: long text">
        <Button>Publish {longText}</Button>
      </Specimen>
      <Specimen name="Icon button, copy button">
        <div className={styles['row']}>
          <IconButton icon={Settings} label="Settings" />
          <IconButton disabled icon={Trash2} label="Delete" />
          <CopyButton isSmall text="text" what="address" />
          <CopyButton text="text" what="value" />
        </div>
      </Specimen>
      <Specimen name="Menu">
        <SampleMenu />
      </Specimen>
      <Specimen name="Dialog, confirm, confirm with a typed name">
        <Dialogs />
      </Specimen>
      <Specimen name="Toasts">
        <div className={styles['row']}>
          <Button look="secondary" onClick={() => toast('Saved. Live for visitors now.')}>
            Good
          </Button>
          <Button
            look="secondary"
            onClick={() => toast('Restored.', { action: { label: 'Undo', run: () => undefined } })}
          >
            With undo
          </Button>
          <Button look="secondary" onClick={() => toast('Not saved.', { tone: 'danger' })}>
            Danger
          </Button>
        </div>
      </Specimen>
      <Specimen name="Tabs">
        <Tabs
          label="Sample tabs"
          tabs={[
            { href: '/styleguide', name: 'Overview' },
            { href: '/editor', name: 'Files', note: '1,204' },
            { href: '/onboarding', name: longText },
          ]}
        />
      </Specimen>
    </Section>
  )
}

function SampleMenu() {
  return (
    <Menu align="start" button={<Icon of={Ellipsis} size={20} />} label="More for portfolio">
      <MenuGroup label="portfolio">
        <MenuLink href="/editor" icon={Settings}>
          Settings
        </MenuLink>
        <MenuButton icon={Download}>Download {longText}</MenuButton>
      </MenuGroup>
      <MenuGroup>
        <MenuButton icon={Trash2} isDestructive>
          Delete portfolio
        </MenuButton>
      </MenuGroup>
    </Menu>
  )
}

function Dialogs() {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <div className={styles['row']}>
      <Button look="secondary" onClick={() => setOpen(true)}>
        Open dialog
      </Button>
      <Dialog
        actions={<Button onClick={close}>Done</Button>}
        isOpen={isOpen}
        onClose={close}
        title="Share portfolio"
      >
        <p>Anyone with the address can open it.</p>
      </Dialog>
      <Confirm
        isBusy={false}
        label="Delete"
        onConfirm={() => undefined}
        title="Delete portfolio?"
        yes="Delete portfolio"
      >
        <p>You can’t undo this.</p>
      </Confirm>
      <Confirm
        isBusy={false}
        label="Delete everything"
        onConfirm={() => undefined}
        title="Delete everything?"
        typed="portfolio"
        yes="Delete everything"
      >
        <p>You can’t undo this.</p>
      </Confirm>
    </div>
  )
}
