/** Without the columns of which no row has anything. */
export const presentColumns = <Row, Column extends { readonly isAbsent?: (row: Row) => boolean }>(
  columns: readonly Column[],
  rows: readonly Row[],
): readonly Column[] =>
  columns.filter(({ isAbsent }) => isAbsent === undefined || !rows.every(isAbsent))
