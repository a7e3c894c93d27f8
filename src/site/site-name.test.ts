import { expect, test } from 'bun:test'
import { parseSiteName } from './site-name.ts'

test.each(['a', 'my-site', 'Blog_2.0~x:y', '...', '.well-known', 'a'.repeat(512)])(
  '%j is a site name',
  (name) => {
    expect(String(parseSiteName(name))).toBe(name)
  },
)

test.each(['', '.', '..', 'a b', 'a/b', 'é', 'a\n', 'a%20b', 'a'.repeat(513)])(
  '%j is no site name',
  (name) => {
    expect(parseSiteName(name)).toBeNull()
  },
)
