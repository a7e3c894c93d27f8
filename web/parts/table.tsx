import type { ReactNode } from 'react'
import styles from './table.module.css'

export interface Column<Row> {
  readonly name: string
  /** Its heading is read, not shown: for buttons. */
  readonly isUnnamed?: boolean
  readonly isNumber?: boolean
  readonly cell: (row: Row) => ReactNode
}

interface TableProps<Row> {
  /** What the rows are. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly keyOf: (row: Row) => string
}

/** Rows with hairlines. On a narrow screen each row is a block with the headings before its values. */
export function Table<Row>({ caption, columns, rows, keyOf }: TableProps<Row>) {
  return (
    <table className={styles['table']}>
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, isUnnamed, isNumber }) => (
            <th data-number={isNumber || undefined} key={name} scope="col">
              {isUnnamed ? <span className="visually-hidden">{name}</span> : name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {columns.map(({ name, isUnnamed, isNumber, cell }) => (
              <td
                data-label={isUnnamed ? undefined : name}
                data-number={isNumber || undefined}
                key={name}
              >
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
