import { expect, test } from 'bun:test'
import { chooseFiles as chooseForPreview, noRules } from '#cli/folder/folder-choice.ts'
import { admitDeclared } from '#publish/deploy/declared-files.ts'
import { chooseFiles } from '#web/publish/files/choose-files.ts'
import { pickedOf } from '#web/publish/files/picked-file.ts'

/** Names of files on a disk, and whether a site can have them. */
const names: [string, 'published' | 'refused' | 'left out'][] = [
  ['say "hi".html', 'published'],
  ["it's.html", 'published'],
  ['100%.html', 'published'],
  ['%22.html', 'published'],
  ['a b  c.html', 'published'],
  [' leading and trailing .html ', 'published'],
  ['#top?.html', 'published'],
  ['a;b=c&d.html', 'published'],
  ['<b>.html', 'published'],
  ['עברית.html', 'published'],
  ['\u202eevil.html', 'published'],
  ['é.html', 'published'],
  ['e\u0301.html', 'published'],
  ['👩‍👩‍👧.html', 'published'],
  ['日本/語.html', 'published'],
  ['CON.html', 'published'],
  ['back\\slash.html', 'refused'],
  ['line\nbreak.html', 'refused'],
  ['return\rbreak.html', 'refused'],
  ['tab\t.html', 'refused'],
  ['delete\x7f.html', 'refused'],
  ['lone\ud800.html', 'refused'],
  [`${'x'.repeat(256)}`, 'refused'],
  [`${'é'.repeat(127)}x`, 'published'],
  ['.env', 'left out'],
  ['x~', 'left out'],
]

const sha256 = 'a'.repeat(64)
const limits = { fileBytesMax: 1000, siteBytesMax: 1000 }

test.each(names)('page, preview and service agree on %j: %s', async (name, outcome) => {
  const paths = ['index.html', name]
  const page = await chooseFiles(paths.map((path) => pickedOf(path, new Blob())))
  expect(outcomeOf(name, page, page.problems)).toBe(outcome)
  const listed = paths.map((path) => ({ path, realPath: path, bytes: 0, state: '' }))
  const preview = chooseForPreview({ files: listed, leftOut: [] }, noRules, limits)
  expect(outcomeOf(name, preview, preview.refusals)).toBe(outcome)
  const service = asService(paths)
  expect(outcomeOf(name, service, service.problems)).toBe(outcome)
})

function asService(paths: readonly string[]) {
  const files = paths.map((path) => ({ path, sha256, size: 0 }))
  try {
    return { ...admitDeclared({ files }, limits, 0), problems: [] }
  } catch (error) {
    return { files: [], problems: [String(error)] }
  }
}

function outcomeOf(
  name: string,
  { files }: { readonly files: readonly { readonly path: string }[] },
  problems: readonly string[],
) {
  if (problems.length > 0) return 'refused'
  return files.some(({ path }) => path === name) ? 'published' : 'left out'
}
