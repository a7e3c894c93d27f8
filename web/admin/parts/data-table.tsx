import { Fragment, type ReactNode } from 'react'
import styles from './data-table.module.css'
import { presentColumns } from './present-columns.ts'

export interface Column<Row> {
  readonly head: string
  readonly cell: (row: Row) => ReactNode
  /** The column is left out where this is so of every row. */
  readonly isAbsent?: (row: Row) => boolean
  /** Left out on narrow screens; the row's detail has it. */
  readonly isMinor?: boolean
  readonly isNumber?: boolean
  /** Takes the width that the others leave. */
  readonly isWide?: boolean
}

interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
  /** Shown below the row whose key this is. */
  readonly opened?: { readonly key: string | null; readonly detail: (row: Row) => ReactNode }
}

/** Rows under heads, in a region of its own that scrolls where they are wider than the screen. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { label, rows, keyOf, opened } = props
  const columns = presentColumns(props.columns, rows)
  return (
    <section aria-label={label} className={styles['region']}>
      <table className={styles['table']}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th className={classOf(column)} key={column.head} scope="col">
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = keyOf(row)
            const isOpen = opened?.key === key
            return (
              <Fragment key={key}>
                <tr className={isOpen ? styles['open'] : undefined}>
                  {columns.map((column) => (
                    <td className={classOf(column)} key={column.head}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
                {isOpen && (
                  <tr>
                    <td className={styles['detail']} colSpan={columns.length}>
                      {opened.detail(row)}
                    </td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

function classOf({ isMinor, isNumber, isWide }: Column<never>): string {
  const names = [isMinor && 'minor', isNumber && 'number', isWide && 'wide']
  return names.flatMap((name) => (name ? [styles[name] ?? ''] : [])).join(' ')
}
