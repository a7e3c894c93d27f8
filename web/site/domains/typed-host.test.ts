import { expect, test } from 'bun:test'
import { hostOf } from './typed-host.ts'

const hosts: [string, string][] = [
  ['www.example.com', 'www.example.com'],
  ['https://www.example.com/', 'www.example.com'],
  ['HTTP://www.example.com:8080/a?b#c', 'www.example.com'],
  ['www.example.com/about', 'www.example.com'],
  ['https://', 'https://'],
  ['a b', 'a b'],
]
test.each(hosts)('%j as a domain: %j', (typed, host) => expect(hostOf(typed)).toBe(host))
