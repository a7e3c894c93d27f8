import { expect, test } from 'bun:test'
import { explanationLines } from './explanation-lines.ts'

test('a header has the line or setting that it is from; what every Sitehost sends has none', () => {
  const lines = explanationLines(
    {
      status: 200,
      by: 'rule',
      file: 'about.html',
      location: null,
      rule: { line: 3, text: '/start /about.html 200' },
      overruled: null,
      headers: [
        { name: 'content-type', value: 'text/html', from: [] },
        { name: 'x-frame-options', value: 'DENY', from: [{ kind: 'file', line: 2 }] },
        {
          name: 'link',
          value: null,
          from: [
            { kind: 'settings', index: 0 },
            { kind: 'file', line: 4 },
          ],
        },
      ],
    },
    'at://did:plc:alice/place.sitehost.fs/blog',
  )
  expect(lines).toEqual([
    '200: the file about.html',
    '  of at://did:plc:alice/place.sitehost.fs/blog',
    '  because a line of _redirects applies',
    '  _redirects, line 3: /start /about.html 200',
    '  content-type: text/html',
    '  x-frame-options: DENY  (_headers, line 2)',
    '  without link  (settings, header 1; _headers, line 4)',
  ])
})
