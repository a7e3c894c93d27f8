import { type ReactNode, useCallback, useState } from 'react'
import { useAsked } from '#web/admin/use-asked.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { addressWith, useAddress } from '#web/shell/routing/address.ts'
import { partsWords } from '#web/words/admin/parts.ts'
import { type Column, DataTable } from './data-table.tsx'
import { type Choices, FilterBar } from './filter-bar.tsx'
import { Link } from './link.tsx'
import styles from './list-page.module.css'
import { Page } from './page.tsx'

const said = partsWords.listPage

export interface Rows<Row> {
  readonly rows: readonly Row[]
  /** Of the next page; null: there is none. */
  readonly cursor: string | null
  /** What is to be known of the list as a whole. */
  readonly note?: ReactNode
}

export type ListQuery = Readonly<Record<string, string>>

/** What a detail calls when it has changed something: says so, and the list is read again. */
export type OnDone = (told: string) => void

interface ListPageProps<Row> {
  readonly title: string
  /** The rows that the query of the address leaves. Must be the same function at every render. */
  readonly list: (query: ListQuery) => Promise<Rows<Row>>
  readonly columns: readonly Column<Row>[]
  readonly keyOf: (row: Row) => string
  readonly searchIn: string | null
  readonly filters?: readonly Choices[]
  /** Of the opened row; rows without it lead to pages of their own. */
  readonly detail?: (row: Row, onDone: OnDone) => ReactNode
  /** When nothing was ever there. */
  readonly empty: string
  /** At the end of the title's line. */
  readonly corner?: ReactNode | ((onDone: OnDone) => ReactNode)
  /** Between the title and the list. */
  readonly notice?: ReactNode
  /** A problem to show above the list. */
  readonly warning?: string | null
  /** That came after the list was read; shown above its first page. */
  readonly newer?: readonly Row[]
}

/** A list with search, filters and paging, all of which the address holds. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const {
    title,
    list,
    searchIn,
    filters = [],
    empty,
    corner,
    notice,
    newer = [],
    warning = null,
  } = props
  const { searchParams } = useAddress()
  const [told, setTold] = useState('')
  const keys = ['search', 'cursor', ...filters.map(({ name }) => name)]
  const query = new URLSearchParams([...searchParams].filter(([key]) => keys.includes(key)))
  const asked = query.toString()
  const ask = useCallback(() => list(Object.fromEntries(new URLSearchParams(asked))), [list, asked])
  const [{ value, problem, isLoading }, reload] = useAsked(ask)
  const onDone = (what: string) => {
    setTold(what)
    reload()
  }
  const isFiltered = asked !== ''
  const known = new Set(newer.map(props.keyOf))
  const rows = value && [...newer, ...value.rows.filter((row) => !known.has(props.keyOf(row)))]
  return (
    <Page corner={typeof corner === 'function' ? corner(onDone) : corner} title={title} told={told}>
      {notice}
      {value?.note}
      {(searchIn !== null || filters.length > 0) && (
        <FilterBar filters={filters} searchIn={searchIn} />
      )}
      {problem !== null && (
        <div className={styles['failed']}>
          <Problem>{problem}</Problem>
          <Button look="secondary" onClick={reload}>
            {said.tryAgain}
          </Button>
        </div>
      )}
      {warning !== null && <Problem>{warning}</Problem>}
      <div aria-busy={isLoading} className={isLoading ? styles['stale'] : styles['fresh']}>
        {rows === null && isLoading && <p>{said.loading}</p>}
        {rows?.length === 0 && (
          <p className={styles['empty']}>{isFiltered ? said.noneFound : empty}</p>
        )}
        {rows !== null && rows.length > 0 && (
          <Listed {...props} cursor={value?.cursor ?? null} onDone={onDone} rows={rows} />
        )}
      </div>
    </Page>
  )
}

function Listed<Row>(props: ListPageProps<Row> & Rows<Row> & { readonly onDone: OnDone }) {
  const { title, columns, rows, keyOf, detail, cursor, onDone } = props
  const { searchParams } = useAddress()
  return (
    <>
      <DataTable
        columns={columns}
        keyOf={keyOf}
        label={title}
        rows={rows}
        {...(detail && {
          opened: { key: searchParams.get('open'), detail: (row: Row) => detail(row, onDone) },
        })}
      />
      <nav aria-label={said.pages} className={styles['paging']}>
        {searchParams.has('cursor') && (
          <Link href={addressWith({ cursor: null, open: null })}>{said.firstPage}</Link>
        )}
        {cursor !== null && <Link href={addressWith({ cursor, open: null })}>{said.nextPage}</Link>}
      </nav>
    </>
  )
}

interface OpenLinkProps {
  /** Of the row. */
  readonly of: string
  readonly children: ReactNode
}

/** Shows a row's detail below it, or hides it. */
export function OpenLink({ of, children }: OpenLinkProps) {
  const isOpen = useAddress().searchParams.get('open') === of
  return (
    <Link aria-expanded={isOpen} href={addressWith({ open: isOpen ? null : of })}>
      {children}
    </Link>
  )
}
