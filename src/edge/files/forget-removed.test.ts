import { expect, test } from 'bun:test'
import { recordingLog } from '#tests/support/api.ts'
import { forgetRemoved } from './forget-removed.ts'

function open() {
  const forgotten: string[] = []
  const tier = (name: string) => ({
    forget: (hash: string) => void forgotten.push(`${name} ${hash}`),
    forgetAll: () => void forgotten.push(`${name} all`),
  })
  const later = (name: string) => ({
    forget: async (hash: string) => void forgotten.push(`${name} ${hash}`),
    forgetAll: async () => void forgotten.push(`${name} all`),
  })
  const follower = forgetRemoved({
    bodies: tier('bodies'),
    recompressor: tier('recompressor'),
    serialized: tier('serialized'),
    decodedFiles: later('decoded'),
    copies: {
      ...later('copies'),
      forgetRemoved: async () => void forgotten.push('copies removed'),
    },
    log: recordingLog([]),
  })
  return { follower, forgotten }
}

test('removed bytes are forgotten wherever a process has them', async () => {
  const { follower, forgotten } = open()
  await follower.follow([{ seq: 1, createdAt: 0, kind: 'blobs', label: 'b', hashes: ['a'] }])
  const each = ['bodies', 'copies', 'decoded', 'recompressor'].map((name) => `${name} a`)
  expect(forgotten.toSorted()).toEqual([...each, 'serialized all'].toSorted())
})

test('and all of them where changes may have been missed', async () => {
  const { follower, forgotten } = open()
  await follower.startAfresh()
  const each = ['bodies', 'decoded', 'recompressor', 'serialized'].map((name) => `${name} all`)
  expect(forgotten.toSorted()).toEqual([...each, 'copies removed'].toSorted())
})
