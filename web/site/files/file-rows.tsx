import {
  ChevronDown,
  ChevronRight,
  ExternalLink,
  File,
  FileImage,
  FilePen,
  FileText,
  FolderClosed,
  FolderOpen,
  type LucideIcon,
} from 'lucide-react'
import { formatBytes } from '#web/parts/bytes.ts'
import iconStyles from '#web/parts/controls/icon-button.module.css'
import { Icon } from '#web/parts/icon.tsx'
import { Menu, MenuButton, MenuGroup, MenuLink } from '#web/parts/overlays/menu.tsx'
import { menuIcons } from '#web/parts/overlays/menu-icons.ts'
import { Link } from '#web/shell/routing/link.tsx'
import { words } from '#web/words/words.ts'
import type { FileAction } from './file-dialogs.tsx'
import styles from './files-page.module.css'
import { contentAddress, editAddress, mayEdit, visitedAddress } from './live-file.ts'
import type { FileRow, FolderRow } from './tree-rows.ts'

interface RowProps {
  readonly rkey: string
  /** Whether Tab gets here. */
  readonly isActive: boolean
  readonly onFocus: () => void
}

/** Deeper rows are no further to the right: there would be no room left for their names. */
const indentMax = 8

interface FolderRowProps extends RowProps {
  readonly row: FolderRow
  readonly canToggle: boolean
  readonly onToggle: () => void
}

export function FolderRowView({ row, canToggle, isActive, onFocus, onToggle }: FolderRowProps) {
  const { bytes, fileCount, isOpen, level, name, position, setSize } = row
  const texts = words.files
  return (
    <tr
      aria-expanded={isOpen}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={setSize}
      className={styles['row']}
      data-level={Math.min(level, indentMax)}
      onFocus={onFocus}
      tabIndex={isActive ? 0 : -1}
    >
      <td>
        <span className={styles['name']}>
          <button
            aria-label={isOpen ? texts.closeFolder(name) : texts.openFolder(name)}
            className={styles['folder']}
            disabled={!canToggle}
            onClick={onToggle}
            tabIndex={-1}
            type="button"
          >
            <Icon of={isOpen ? ChevronDown : ChevronRight} />
            <Icon of={isOpen ? FolderOpen : FolderClosed} />
            <bdi title={name}>{name}</bdi>
          </button>
        </span>
      </td>
      <td className={styles['type']}>{texts.folder(fileCount)}</td>
      <td className={styles['size']}>{formatBytes(bytes)}</td>
      <td />
    </tr>
  )
}

interface FileRowProps extends RowProps {
  readonly row: FileRow
  readonly onAction: (action: FileAction) => void
}

export function FileRowView({ row, rkey, isActive, onFocus, onAction }: FileRowProps) {
  const { file, level, name, position, setSize } = row
  const { path } = file
  const texts = words.files
  const address = visitedAddress(file)
  const tabIndex = isActive ? 0 : -1
  const isEditable = mayEdit(file)
  return (
    <tr
      aria-level={level}
      aria-posinset={position}
      aria-setsize={setSize}
      className={styles['row']}
      data-level={Math.min(level, indentMax)}
      onFocus={onFocus}
      tabIndex={tabIndex}
    >
      <td>
        <span className={styles['name']}>
          <Icon of={iconOf(file.mediaType)} />
          {isEditable ? (
            <Link href={editAddress(rkey, path)} tabIndex={tabIndex}>
              <bdi title={name}>{name}</bdi>
            </Link>
          ) : (
            <a
              href={address ?? contentAddress(rkey, path)}
              rel="noopener"
              tabIndex={tabIndex}
              target="_blank"
            >
              <bdi title={name}>{name}</bdi>
            </a>
          )}
        </span>
      </td>
      <td className={styles['type']}>
        {address === null ? texts.hidden : file.mediaType.replace(/;.*/, '')}
      </td>
      <td className={styles['size']}>{formatBytes(file.bytes)}</td>
      <td>
        <span className={styles['actions']}>
          {address !== null && (
            <a
              aria-label={texts.open(name)}
              className={iconStyles['button']}
              href={address}
              rel="noopener"
              tabIndex={tabIndex}
              target="_blank"
              title={texts.openShort}
            >
              <Icon of={ExternalLink} />
            </a>
          )}
          <Menu
            button={<Icon of={menuIcons.more} size={20} />}
            label={texts.more(name)}
            tabIndex={tabIndex}
          >
            {isEditable && (
              <MenuLink href={editAddress(rkey, path)} icon={FilePen}>
                {texts.edit}
              </MenuLink>
            )}
            <MenuButton
              icon={menuIcons.download}
              onClick={() => location.assign(contentAddress(rkey, path))}
            >
              {texts.downloadFile}
            </MenuButton>
            <MenuButton icon={menuIcons.edit} onClick={() => onAction({ kind: 'rename', file })}>
              {texts.rename}
            </MenuButton>
            <MenuGroup>
              <MenuButton
                icon={menuIcons.delete}
                isDestructive
                onClick={() => onAction({ kind: 'remove', file })}
              >
                {texts.remove}
              </MenuButton>
            </MenuGroup>
          </Menu>
        </span>
      </td>
    </tr>
  )
}

function iconOf(mediaType: string): LucideIcon {
  if (mediaType.startsWith('image/')) return FileImage
  return /^text\/|json|javascript|xml/.test(mediaType) ? FileText : File
}
