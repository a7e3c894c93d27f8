// Writes the import rules of every room into biome.json, from this table: `npm run rooms`.

/** From left to right. A room may import from the columns to its right; rooms of one column are strangers. */
export const rooms =
  'main → api · edge · cli → admin → publish · ingest · domains · certificates · webhooks → atproto · store · blobs → outbound · inbound → concurrency → observe → site → http → lexicons'

/** The same for the folders of a room; `.` is what lies in the room itself. */
const foldersOfRoom: Readonly<Record<string, string>> = {
  publish: 'deploy → jobs → history → . → repository · contents → upload',
  atproto: 'firehose → repo → oauth → identity',
  site: 'visit → rules → upload → record → .',
  store:
    'lifecycle → blobs → certificates · names · queues · sites · log → webhooks → accounts · moderation → database → migrations',
}

interface Rule {
  readonly includes: readonly string[]
  readonly forbidden: readonly { readonly group: readonly string[]; readonly message: string }[]
}

/** The text of biome.json with the rules of the table in place of those that it has. */
export function withImportRules(biomeJson: string): string {
  const configuration = JSON.parse(biomeJson)
  const others = configuration.overrides.filter((entry: Override) => !isImportRule(entry))
  const overrides = [webRule, ...roomRules()].map(overrideOf)
  return `${JSON.stringify({ ...configuration, overrides: [...overrides, ...others] }, null, 2)}\n`
}

type Override = { linter?: { rules?: { style?: Record<string, unknown> } } }

const isImportRule = (entry: Override): boolean =>
  entry.linter?.rules?.style?.['noRestrictedImports'] !== undefined

const columnsOf = (line: string): string[][] =>
  line.split(' → ').map((column) => column.split(' · '))

const upwards = {
  group: ['../**', '..'],
  message: "In the same folder use './file.ts', else '#room/folder/file.ts'.",
}

const webRule: Rule = {
  includes: ['web/**'],
  forbidden: [
    upwards,
    {
      group: [
        ...columnsOf(rooms)
          .flat()
          .filter((room) => !['site', 'http'].includes(room))
          .map((room) => `#${room}/**`),
        '!#api/contract/client.ts',
      ],
      message:
        "The web app runs in browsers: of the server it takes only the pure rules of #site and #http, and the contract's types.",
    },
  ],
}

function roomRules(): Rule[] {
  return columnsOf(rooms).flatMap((column, at, columns) =>
    column.flatMap((room) => {
      const strangers = [
        ...columns.slice(0, at).flat(),
        ...column.filter((other) => other !== room),
      ]
      return rulesOfRoom(room, {
        group: strangers.map((other) => `#${other}/**`),
        message: `Imports only point right (ARCHITECTURE.md): ${room} must not import this room.`,
      })
    }),
  )
}

function rulesOfRoom(room: string, strangers: Rule['forbidden'][number]): Rule[] {
  const outside = strangers.group.length === 0 ? [upwards] : [upwards, strangers]
  const ofRoom = { includes: [`src/${room}/**`], forbidden: outside }
  const folders = columnsOf(foldersOfRoom[room] ?? '.')
  if (folders.length === 1) return [ofRoom]
  // Tests may set up what they need with other folders of their room.
  const ofFolders = folders.flatMap((column, at) =>
    column.map((folder) => {
      const left = [...folders.slice(0, at).flat(), ...column.filter((other) => other !== folder)]
      const inside = {
        group: left.map((other) => globOf(`#${room}`, other)),
        message: `Imports only point right (scripts/rooms.ts): ${room}/${folder} must not import this folder.`,
      }
      const includes = [globOf(`src/${room}`, folder), '!**/*.test.ts']
      return { includes, forbidden: left.length === 0 ? outside : [...outside, inside] }
    }),
  )
  return [ofRoom, ...ofFolders]
}

const globOf = (room: string, folder: string): string =>
  folder === '.' ? `${room}/*` : `${room}/${folder}/**`

function overrideOf({ includes, forbidden }: Rule) {
  const noRestrictedImports = { level: 'error', options: { patterns: forbidden } }
  return { includes, linter: { rules: { style: { noRestrictedImports } } } }
}

if (import.meta.main) {
  const biomeJson = Bun.file(new URL('../biome.json', import.meta.url))
  await Bun.write(biomeJson, withImportRules(await biomeJson.text()))
}
