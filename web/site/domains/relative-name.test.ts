import { expect, test } from 'bun:test'
import { relativeName } from './relative-name.ts'

const names: [string, string, string][] = [
  ['example.com', 'example.com', '@'],
  ['www.example.com', 'example.com', 'www'],
  ['_sitehost.www.example.co.uk', 'example.co.uk', '_sitehost.www'],
  ['notexample.com', 'example.com', 'notexample.com'],
  ['example.org', 'example.com', 'example.org'],
]
test.each(names)('%s in the zone %s is %s', (name, zone, relative) => {
  expect(relativeName(name, zone)).toBe(relative)
})
