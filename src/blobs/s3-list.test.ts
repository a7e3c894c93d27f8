import { expect, test } from 'bun:test'
import { errorCodeIn, parseListPage } from './s3-list.ts'

const page = (inside: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inside}</ListBucketResult>`

test.each([
  ['an empty bucket', page('<IsTruncated>false</IsTruncated>'), [], null],
  ['an empty element', '<ListBucketResult/>', [], null],
  ['one key', page('<Contents><Key>a</Key><Size>5</Size></Contents>'), ['a'], null],
  ['a key with attributes', page('<Contents><Key x="1">a</Key></Contents>'), ['a'], null],
  [
    'more pages',
    page(
      '<IsTruncated>true</IsTruncated><Contents><Key>a&amp;b</Key></Contents><Contents><Key>c</Key></Contents><NextContinuationToken>x/y=</NextContinuationToken>',
    ),
    ['a&b', 'c'],
    'x/y=',
  ],
])('%s', (_, xml, keys, continuation) => {
  expect(parseListPage(xml)).toEqual({ keys, continuation })
})

test.each([
  ['nothing', ''],
  ['a page for people', '<html><body>Sign in</body></html>'],
  ['XML that is cut off', page('<Contents><Key>a</Key></Contents>').slice(0, -5)],
  ['another document', '<Error><Code>SlowDown</Code></Error>'],
  ['a key that is no text', page('<Contents><Key><b/></Key></Contents>')],
  [
    'entities that grow',
    `<!DOCTYPE x [<!ENTITY a "aaaa">]>${page('<Contents><Key>&a;</Key></Contents>')}`,
  ],
  ['a page without an end', page('<IsTruncated>true</IsTruncated>')],
  ['elements without an end', '<a>'.repeat(100_000)],
  ['deep elements', `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`],
])('%s is no page', (_, xml) => {
  expect(parseListPage(xml)).toBeNull()
})

test.each([
  ['<Error><Code>SlowDown</Code><Message>m</Message></Error>', 'SlowDown'],
  ['<Error><Code>secret AKIA</Code></Error>', null],
  ['no', null],
])('the code of %s', (xml, code) => {
  expect(errorCodeIn(xml)).toBe(code)
})
