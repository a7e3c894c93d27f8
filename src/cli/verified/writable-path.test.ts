import { expect, test } from 'bun:test'
import { isWritable } from './writable-path.ts'

const everywhere = ['.GIT/config', '.git./x', '.git /x', 'git~1/config', 'GIT~2', 'a/.g\u200cit/x']
test.each([
  ...everywhere,
  '.git::$INDEX_ALLOCATION/config',
  '.env',
  '\ufeff.env.local',
  'a/node_modules. /x',
])('%j is written nowhere', (path) => {
  expect(isWritable(path, 'linux')).toBe(false)
})

test.each(['nul', 'COM1.txt', 'a/aux/b', 'con .html', 'a:b', 'what?', 'end.', 'end /x', 'lpt¹'])(
  '%j is not written on Windows, and is elsewhere',
  (path) => {
    expect(isWritable(path, 'win32')).toBe(false)
    expect(isWritable(path, 'linux')).toBe(true)
  },
)

test.each(['index.html', 'console/nullable.html', 'com10', '.well-known/x', '.github/a', 'a b'])(
  '%j is written everywhere',
  (path) => {
    expect(isWritable(path, 'win32')).toBe(true)
  },
)
