import { type HostileRepo, type HostileRow, hostileRows } from './hostile-rows.ts'

/** The same repository, into which records of ours are written as those of place.wisp. Encoded ones stay as they are. */
export const foreignRepo = (repo: HostileRepo): HostileRepo => ({
  ...repo,
  put: (path, record) =>
    repo.put(
      foreign(path),
      record instanceof Uint8Array ? record : JSON.parse(foreign(JSON.stringify(record))),
    ),
})

const foreign = (text: string): string => text.replaceAll('place.sitehost.', 'place.wisp.')

/** Blobs are the same, and limits of counts are its own (`site/record/foreign-records`). */
const others = ['H08', 'H14', 'H15']

/** What holds for records of place.wisp as for ours. */
export const foreignRows: readonly HostileRow[] = hostileRows.filter(
  ({ id }) => !others.includes(id),
)
