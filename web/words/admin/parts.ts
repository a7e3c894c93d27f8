/** What the parts of the administrator’s area say, wherever they are. */
export const partsWords = {
  actionDialog: {
    reason: 'Reason',
    reasonHint: 'Kept in the audit, with your name.',
    busy: 'One moment…',
  },
  chartTable: {
    label: (title: string) => `${title} by the minute`,
  },
  chart: {
    loading: 'Loading…',
    none: 'No values yet: there is one for each minute.',
    highest: 'highest',
  },
  charts: {
    title: 'Over time',
    choice: 'Time shown',
  },
  filterBar: {
    search: 'Search',
    all: 'All',
  },
  frame: {
    skip: 'Skip to the content',
    title: 'Administration',
    pages: 'Pages',
  },
  listPage: {
    tryAgain: 'Try again',
    loading: 'Loading…',
    noneFound: 'Nothing matches. Search for less, or choose “All”.',
    pages: 'Pages of the list',
    firstPage: 'First page',
    nextPage: 'Next page',
  },
  places: {
    log: 'What the log says',
  },
  takedownNote: {
    offline: 'Offline here.',
    visitorsGet: 'Visitors get',
  },
}
