import { expect, test } from 'bun:test'
import { leftOutReason } from './left-out-reason.ts'

const everywhere = ['.GIT/config', '.git./x', '.git /x', 'git~1/config', 'GIT~2', 'a/.g\u200cit/x']
test.each([
  ...everywhere,
  '.git::$INDEX_ALLOCATION/config',
  '.env',
  '\ufeff.env.local',
  'a/node_modules. /x',
])('%j, which publishing leaves out, is written nowhere', (path) => {
  expect(leftOutReason(path, { platform: 'linux', dotFiles: true })).not.toBeNull()
})

test.each([
  ...['.hg/hgrc', '.vscode/tasks.json', '.claude/settings.json', '.mcp.json', '.github/a'],
  ...['a/.htaccess', '\u200c.vscode/x', '.Well-Known/x', '.well-known/.x', '.nojekyll'],
])('%j is written only with dot files', (path) => {
  expect(leftOutReason(path, { platform: 'linux' })).toBe('its name begins with a dot')
  expect(leftOutReason(path, { platform: 'linux', dotFiles: true })).toBeNull()
})

test.each([
  'sitehost.json',
  'SiteHost.json',
  'a/sitehost.json',
  'sitehost.json.',
  'a/.sitehostIgnore',
])('%j is not written: it would be obeyed by the next command there', (path) => {
  expect(leftOutReason(path, { dotFiles: true })).toBe('settings of this tool')
})

test.each(['HEAD', 'head', 'a/Head', 'HEAD. ', 'H\u200dEAD', 'HEAD:x'])(
  '%j is not written: it would make a repository of its folder',
  (path) => {
    const reason = leftOutReason(path, { dotFiles: true, platform: 'linux' })
    expect(reason).toBe('Git would take its folder for a repository')
  },
)

test.each(['nul', 'COM1.txt', 'a/aux/b', 'con .html', 'a:b', 'what?', 'end.', 'end /x', 'lpt¹'])(
  '%j is not written on Windows, and is elsewhere',
  (path) => {
    expect(leftOutReason(path, { platform: 'win32' })).toBe('not a name on Windows')
    expect(leftOutReason(path, { platform: 'linux' })).toBeNull()
  },
)

test.each([
  ...['index.html', 'console/nullable.html', 'com10', '.well-known/x', 'a/.well-known/x', 'a b'],
  ...['head.html', 'HEAD/index.html', 'objects/a', 'refs', 'config', '_redirects', '_headers'],
])('%j is written everywhere', (path) => {
  expect(leftOutReason(path, { platform: 'win32' })).toBeNull()
})
