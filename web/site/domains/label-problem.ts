import { words } from '#web/words/words.ts'

const charsMin = 3
const charsMax = 63

/** Why this cannot be an address, or null; what is reserved or taken, only the server knows. */
export function labelProblem(label: string): string | null {
  const { characters, empty, long, short } = words.domains.claim
  if (label === '') return empty
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/i.test(label)) return characters
  if (label.length < charsMin) return short
  return label.length > charsMax ? long : null
}
