import { expect, test } from 'bun:test'
import { hostOf, labelOf } from './typed-name.ts'

const hosts: [string, string][] = [
  ['www.example.com', 'www.example.com'],
  ['https://www.example.com/', 'www.example.com'],
  ['HTTP://www.example.com:8080/a?b#c', 'www.example.com'],
  ['www.example.com/about', 'www.example.com'],
  ['https://', 'https://'],
  ['a b', 'a b'],
]
test.each(hosts)('%j as a domain: %j', (typed, host) => expect(hostOf(typed)).toBe(host))

const check = async (label: string) =>
  label === 'www'
    ? ({ available: false, reason: 'invalid' } as const)
    : ({ available: true, domain: `${label.toLowerCase()}.sites.example` } as const)

const labels: [string, string][] = [
  ['blog', 'blog'],
  ['blog.sites.example', 'blog'],
  ['Blog.Sites.Example', 'Blog'],
  ['https://blog.sites.example:3000/', 'blog'],
  ['www.sites.example', 'www.sites.example'],
  ['blog.example.com', 'blog.example.com'],
  ['a.blog.sites.example', 'a.blog.sites.example'],
]
test.each(labels)('%j as a name to claim: %j', async (typed, label) => {
  expect(await labelOf(typed, check)).toBe(label)
})
