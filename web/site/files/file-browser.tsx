import { useQuery } from '@tanstack/react-query'
import { FilePlus, Folder as FolderIcon } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { formatBytes } from '#web/parts/bytes.ts'
import { Button, buttonClass } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Empty } from '#web/parts/empty.tsx'
import { Icon } from '#web/parts/icon.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { focusOnMount } from '#web/parts/overlays/focus-on-mount.ts'
import { menuIcons } from '#web/parts/overlays/menu-icons.ts'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { addressOf } from '#web/server/api.ts'
import { filesQuery } from '#web/server/queries.ts'
import { LazyDialog, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { words } from '#web/words/words.ts'
import type { FileAction } from './file-dialogs.tsx'
import { FileTree } from './file-tree.tsx'
import styles from './files-page.module.css'
import { filterFiles, type ListedFile, rowsOf, treeOf } from './tree-rows.ts'

const fileDialog = lazyModule(() => import('./file-dialogs.tsx'))

/** What of the list is shown. */
export interface FileView {
  readonly filter: string
  /** Paths of folders; null: those that a list of this length begins with. */
  readonly open: ReadonlySet<string> | null
}

export const firstView: FileView = { filter: '', open: null }

/** A list this short begins with all folders open. */
const allOpenMax = 30

interface FileBrowserProps {
  readonly rkey: string
  readonly view: FileView
  readonly onView: (view: FileView) => void
  /** The file that was edited a moment ago: whoever comes back is at its row. */
  readonly cameFrom: string | null
}

/** The files of the live version as a tree. */
export function FileBrowser({ cameFrom, rkey, view, onView }: FileBrowserProps) {
  const { data, error, isPending, refetch } = useQuery(filesQuery(rkey, 'live'))
  if (data !== undefined) {
    return <Listed cameFrom={cameFrom} files={data.files} onView={onView} rkey={rkey} view={view} />
  }
  return (
    <section aria-busy={isPending} aria-label={words.files.title}>
      {isPending && <Skeleton count={5} shape="row" />}
      {error !== null && (
        <Notice
          action={
            <Button look="secondary" onClick={() => void refetch()}>
              {words.shell.tryAgain}
            </Button>
          }
          tone="danger"
        >
          <p>{error.message}</p>
        </Notice>
      )}
    </section>
  )
}

function Listed({
  cameFrom,
  files,
  rkey,
  view,
  onView,
}: FileBrowserProps & { readonly files: readonly ListedFile[] }) {
  const texts = words.files
  const [action, setAction] = useState<FileAction | null>(null)
  // Loaded with the first action, and stays for what it publishes.
  const [isActedOn, setIsActedOn] = useState(false)
  const act = (wanted: FileAction): void => {
    setIsActedOn(true)
    setAction(wanted)
  }
  const filter = useDeferredValue(view.filter)
  const isFiltered = filter.trim() !== ''
  const open = useMemo(
    () => view.open ?? new Set(files.length > allOpenMax ? [] : foldersOf(files)),
    [files, view.open],
  )
  const found = useMemo(() => filterFiles(files, filter), [files, filter])
  const tree = useMemo(() => treeOf(found), [found])
  const rows = useMemo(
    () => rowsOf(tree, (path) => isFiltered || open.has(path)),
    [tree, isFiltered, open],
  )
  const toggle = (path: string): void => {
    const next = new Set(open)
    if (!next.delete(path)) next.add(path)
    onView({ ...view, open: next })
  }
  if (files.length === 0) {
    return (
      <Empty icon={FolderIcon} title={texts.none.title}>
        <p>{texts.none.text}</p>
      </Empty>
    )
  }
  const archive = { params: { rkey, id: 'live' } } as const
  const total = texts.total(files.length, formatBytes(treeBytes(files)))
  return (
    <section aria-label={texts.title} className={styles['browser']}>
      <div className={styles['tools']}>
        <div className={styles['filter']}>
          <TextField
            autoComplete="off"
            label={texts.filter}
            onChange={({ target }) => onView({ ...view, filter: target.value })}
            placeholder={texts.filterHint}
            type="search"
            value={view.filter}
          />
        </div>
        <Button icon={FilePlus} look="secondary" onClick={() => act({ kind: 'create' })}>
          {texts.create}
        </Button>
        <a
          className={buttonClass('secondary')}
          download
          href={addressOf('GET /api/site/:rkey/versions/:id/archive', archive).path}
        >
          <Icon of={menuIcons.download} />
          {texts.download}
        </a>
      </div>
      <p className={styles['count']} role="status">
        {isFiltered ? texts.found(found.length, files.length) : total}
      </p>
      {rows.length === 0 ? (
        <p ref={focusOnMount} tabIndex={-1}>
          {texts.nothingFound(filter.trim())}
        </p>
      ) : (
        <FileTree
          canToggle={!isFiltered}
          cameFrom={cameFrom}
          key={filter}
          onAction={act}
          onToggle={toggle}
          rkey={rkey}
          rows={rows}
        />
      )}
      {isActedOn && (
        <LazyDialog
          of={fileDialog}
          onFailed={() => setIsActedOn(false)}
          props={{ action, files, onClose: () => setAction(null), rkey }}
        />
      )}
    </section>
  )
}

const treeBytes = (files: readonly ListedFile[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)

function foldersOf(files: readonly ListedFile[]): string[] {
  return files.flatMap(({ path }) => {
    const folders = path.split('/').slice(0, -1)
    return folders.map((_, depth) => folders.slice(0, depth + 1).join('/'))
  })
}
