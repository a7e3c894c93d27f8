import { expect, test } from 'bun:test'
import { siteNameProblem } from './site-name-problem.ts'

const names: [string, string | null][] = [
  ['blog', null],
  ['a.b_c~d:e-F9', null],
  ['x'.repeat(512), null],
  ['x'.repeat(513), 'A name can have 512 characters; this one has 513.'],
  ['', 'Give the site a name.'],
  ['.', 'A dot or two dots are no name. Add a letter or a digit.'],
  ['..', 'A dot or two dots are no name. Add a letter or a digit.'],
  ['...', null],
  ['my site', 'A name cannot have a space in it.'],
  ['café', 'A name cannot have “é” in it.'],
  ['a/😀', 'A name cannot have “/” in it.'],
  ['😀', 'A name cannot have “😀” in it.'],
]
test.each(names)('%j: %j', (name, problem) => {
  expect(siteNameProblem(name)).toBe(problem)
})
