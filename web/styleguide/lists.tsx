import { formatBytes } from '#web/parts/bytes.ts'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { Qr } from '#web/parts/qr.tsx'
import { Status } from '#web/parts/status.tsx'
import { type Column, Table } from '#web/parts/table.tsx'
import { TimeAgo } from '#web/parts/time-ago.tsx'
import { SiteTile } from '#web/site/site-tile.tsx'
import { arabic, longText, Section, Specimen } from './section.tsx'

interface Row {
  readonly path: string
  readonly bytes: number
  readonly at: string
}

const rows: readonly Row[] = [
  { path: 'index.html', bytes: 1204, at: '2026-01-02T03:04:05Z' },
  { path: longText, bytes: 104_857_600, at: '2025-01-02T03:04:05Z' },
  { path: arabic, bytes: 0, at: '2020-01-02T03:04:05Z' },
]

const columns: readonly Column<Row>[] = [
  { name: 'Path', cell: ({ path }) => <bdi>{path}</bdi> },
  { name: 'Size', isNumber: true, cell: ({ bytes }) => formatBytes(bytes) },
  { name: 'Changed', cell: ({ at }) => <TimeAgo at={at} /> },
  { name: 'State', cell: () => <Status state="live">Live</Status> },
  {
    name: 'Actions',
    isUnnamed: true,
    cell: ({ path }) => <CopyButton isSmall text={path} what={path} />,
  },
]

export function Lists() {
  return (
    <Section title="Lists and pictures">
      <Specimen isWide name="Table">
        <Table caption="Files" columns={columns} keyOf={({ path }) => path} rows={rows} />
      </Specimen>
      <Specimen name="Letters of sites">
        <SiteTile name="portfolio" />
        <SiteTile isLarge name={arabic} />
      </Specimen>
      <Specimen name="QR code">
        <Qr address="https://portfolio.sites.example/" />
      </Specimen>
    </Section>
  )
}
