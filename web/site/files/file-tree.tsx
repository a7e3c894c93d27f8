import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { words } from '#web/words/words.ts'
import type { FileAction } from './file-dialogs.tsx'
import { FileRowView, FolderRowView } from './file-rows.tsx'
import styles from './files-page.module.css'
import type { TreeRow } from './tree-rows.ts'

/** Rows in the page at first, and more whenever their end comes near. */
const rowsAtOnce = 200

interface FileTreeProps {
  readonly rkey: string
  readonly rows: readonly TreeRow[]
  /** Whether folders open and close: what a filter has found is all shown. */
  readonly canToggle: boolean
  readonly onToggle: (path: string) => void
  readonly onAction: (action: FileAction) => void
  /** The path of the row where whoever has lost their place begins. */
  readonly cameFrom: string | null
}

/**
 * The rows as a tree grid (ARIA Authoring Practices, "Treegrid"): the arrow keys go from row to row, right and left open and
 * close folders, Tab moves to the controls of a row. Long lists are drawn as far as they are read.
 */
export function FileTree(props: FileTreeProps) {
  const { cameFrom, rkey, rows, canToggle, onToggle, onAction } = props
  const body = useRef<HTMLTableSectionElement>(null)
  const [drawn, setDrawn] = useState(rowsAtOnce)
  const [activePath, setActivePath] = useState(cameFrom)
  const wantsFocus = useRef(false)
  const comesBack = useRef(cameFrom !== null)
  const found = rows.findIndex(({ path }) => path === activePath)
  // Where a row was that is gone now is the next one.
  const before = useRef(0)
  const active = found === -1 ? Math.min(before.current, rows.length - 1) : found
  useEffect(() => {
    before.current = active
  }, [active])
  const shown = rows.slice(0, Math.max(drawn, active + 1))
  const hasMore = shown.length < rows.length

  // biome-ignore lint/correctness/useExhaustiveDependencies: the row is there only after it was drawn.
  useEffect(() => {
    const isBack = comesBack.current && isFocusLost()
    comesBack.current = false
    if (!wantsFocus.current && !isBack) return
    wantsFocus.current = false
    body.current?.querySelectorAll<HTMLElement>(':scope > tr')[active]?.focus()
  }, [active, shown.length])

  const activeNow = rows[active]?.path ?? null
  useEffect(() => {
    // Its row has been deleted, and with it went the focus.
    if (activePath === null || activePath === activeNow) return
    setActivePath(activeNow)
    if (isFocusLost()) focusRow(body.current, active)
  }, [active, activeNow, activePath])

  const goToRow = (at: number): void => {
    const row = rows[Math.min(Math.max(at, 0), rows.length - 1)]
    if (row === undefined) return
    // The row itself may have lost the focus to one of its buttons.
    if (row.path === rows[active]?.path) {
      focusRow(body.current, active)
      return
    }
    wantsFocus.current = true
    setActivePath(row.path)
  }
  const press = (event: KeyboardEvent<HTMLElement>): void => {
    const { target } = event
    if (!(target instanceof HTMLElement) || target.closest('[popover]') !== null) return
    const row = rows[active]
    if (row === undefined || event.metaKey || event.ctrlKey || event.altKey) return
    const act = actionOf(event.key, row, target)
    if (act === null) return
    event.preventDefault()
    if (act === 'toggle') onToggle(row.path)
    else if (act === 'open') linkOf(target)?.click()
    else goToRow(act === 'parent' ? parentAt(rows, active) : placeAfter(act, active, rows.length))
  }
  /** A folder that a filter keeps open is left with the arrow keys all the same. */
  const actionOf = (key: string, row: TreeRow, target: HTMLElement): RowAction | null => {
    const isFolder = row.kind === 'folder'
    const isRow = target instanceof HTMLTableRowElement
    switch (key) {
      case 'ArrowDown':
        return 'next'
      case 'ArrowUp':
        return 'previous'
      case 'Home':
        return 'first'
      case 'End':
        return 'last'
      case 'ArrowRight':
        if (!isFolder) return null
        return row.isOpen ? 'next' : 'toggle'
      case 'ArrowLeft':
        return isFolder && row.isOpen && canToggle ? 'toggle' : 'parent'
      case 'Enter':
      case ' ':
        if (!isRow) return null
        return isFolder ? (canToggle ? 'toggle' : null) : 'open'
      default:
        return null
    }
  }
  return (
    <table
      aria-label={words.files.list}
      className={styles['tree']}
      onKeyDown={press}
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a tree grid is a table that takes keys.
      role="treegrid"
    >
      <thead>
        <tr>
          <th scope="col">{words.files.columns.name}</th>
          <th className={styles['type']} scope="col">
            {words.files.columns.type}
          </th>
          <th className={styles['size']} scope="col">
            {words.files.columns.size}
          </th>
          <th className={styles['actions']} scope="col">
            <span className="visually-hidden">{words.files.columns.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody ref={body}>
        {shown.map((row, at) => {
          const shared = {
            isActive: at === active,
            onFocus: () => setActivePath(row.path),
            rkey,
          }
          return row.kind === 'folder' ? (
            <FolderRowView
              key={row.path}
              {...shared}
              canToggle={canToggle}
              onToggle={() => onToggle(row.path)}
              row={row}
            />
          ) : (
            <FileRowView key={row.path} {...shared} onAction={onAction} row={row} />
          )
        })}
      </tbody>
      {hasMore && <End onNear={() => setDrawn((before) => before + rowsAtOnce)} />}
    </table>
  )
}

type RowAction = 'next' | 'previous' | 'first' | 'last' | 'parent' | 'toggle' | 'open'

function placeAfter(action: RowAction, at: number, count: number): number {
  switch (action) {
    case 'next':
      return at + 1
    case 'previous':
      return at - 1
    case 'last':
      return count - 1
    default:
      return 0
  }
}

function parentAt(rows: readonly TreeRow[], at: number): number {
  const level = rows[at]?.level ?? 1
  const above = rows.slice(0, at).findLastIndex((row) => row.level < level)
  return above === -1 ? at : above
}

const linkOf = (row: HTMLElement): HTMLElement | null => row.querySelector('a')

const isFocusLost = (): boolean => document.activeElement === document.body

function focusRow(body: HTMLElement | null, at: number): void {
  body?.querySelectorAll<HTMLElement>(':scope > tr')[at]?.focus()
}

/** Calls `onNear` each time the end of the list comes near the window. */
function End({ onNear }: { readonly onNear: () => void }) {
  const end = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (end.current === null) return
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) onNear()
      },
      { rootMargin: '1000px' },
    )
    observer.observe(end.current)
    return () => observer.disconnect()
  })
  return (
    <tfoot aria-hidden="true">
      <tr ref={end}>
        <td />
      </tr>
    </tfoot>
  )
}
