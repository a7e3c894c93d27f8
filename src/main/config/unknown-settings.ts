import { childEnvironment } from './config.ts'
import { settings } from './settings.ts'

/** A variable of the environment that looks like a setting and is none. */
export interface UnknownSetting {
  readonly name: string
  /** The setting that was probably meant; null: none is near. */
  readonly meant: string | null
}

/** Variables whose names are near to a setting's (`BAES_URL`, `base_url`), or begin with `SITEHOST`; in their order. */
export function unknownSettings(
  environment: Readonly<Record<string, string | undefined>> = childEnvironment({}),
): UnknownSetting[] {
  const known = Object.keys(settings.shape)
  return Object.keys(environment)
    .filter((name) => !known.includes(name))
    .map((name) => ({ name, meant: nearest(name.toUpperCase(), known) }))
    .filter(({ name, meant }) => meant !== null || name.toUpperCase().startsWith('SITEHOST'))
}

/** A setting with a typo in its name, in a sentence. */
export const unknownSettingSentence = ({ name, meant }: UnknownSetting): string =>
  meant === null
    ? `${name} is not a setting of Sitehost`
    : `${name} is not a setting of Sitehost: ${meant} is one`

/** The characters of a setting's name for each typo that it may have. */
const charsPerTypo = 5
const nameCharsMax = 64

function nearest(name: string, known: readonly string[]): string | null {
  const bare = name.replace(/^SITEHOST_/, '')
  if (bare.length > nameCharsMax) return null
  const typos = (setting: string): number => editDistance(bare, setting)
  const near = known.filter((setting) => {
    const typosMax = Math.max(Math.floor(setting.length / charsPerTypo), 1)
    // Each character more or less is a typo. Counting them all for all names takes a tenth of a start.
    return Math.abs(setting.length - bare.length) <= typosMax && typos(setting) <= typosMax
  })
  return near.sort((a, b) => typos(a) - typos(b))[0] ?? null
}

/** How many characters to insert, delete, replace or swap with the next one (optimal string alignment). */
export function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0
  for (let i = 1; i <= from.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= to.length; j++) {
      const replaced = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwap ? at(i - 2, j - 2) + 1 : replaced
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, swapped))
    }
  }
  return at(from.length, to.length)
}
