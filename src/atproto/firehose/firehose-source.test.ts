import { expect, test } from 'bun:test'
import type { FirehoseFormat } from './firehose-format.ts'
import { subscribeRepos } from './firehose-repos.ts'
import { parseFirehoseUrl } from './firehose-source.ts'
import { jetstream } from './jetstream.ts'

const facts: [string, { base: string; format: FirehoseFormat } | null][] = [
  ['https://bsky.network', { base: 'wss://bsky.network/', format: subscribeRepos }],
  ['http://localhost:2583', { base: 'ws://localhost:2583/', format: subscribeRepos }],
  ['wss://relay.example/', { base: 'wss://relay.example/', format: subscribeRepos }],
  [
    'wss://relay.example/xrpc/com.atproto.sync.subscribeRepos',
    { base: 'wss://relay.example/xrpc/com.atproto.sync.subscribeRepos', format: subscribeRepos },
  ],
  ['wss://jet.example/subscribe', { base: 'wss://jet.example/subscribe', format: jetstream }],
  ['https://jet.example/subscribe', { base: 'wss://jet.example/subscribe', format: jetstream }],
  [
    'ws://127.0.0.1:6008/subscribe?key=k',
    { base: 'ws://127.0.0.1:6008/subscribe?key=k', format: jetstream },
  ],
  [
    'wss://front.example/jet/subscribe',
    { base: 'wss://front.example/jet/subscribe', format: jetstream },
  ],
  ['wss://jet.example/subscribe/', null],
  ['wss://jet.example/unsubscribe', null],
  ['wss://jet.example/xrpc/network.bsky.jetstream.subscribeEvents', null],
  ['wss://relay.example/xrpc/com.atproto.label.subscribeLabels', null],
  ['wss://relay.example/#x', null],
  ['ftp://relay.example/', null],
  ['relay.example', null],
  ['', null],
]

test.each(facts)('%s', (input, expected) => {
  const source = parseFirehoseUrl(input)
  expect(source && { base: source.base.href, format: source.format }).toEqual(expected)
})
