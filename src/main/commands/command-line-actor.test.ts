import { expect, test } from 'bun:test'
import { actorOf } from './command-line-actor.ts'

const passwd = `root:x:0:0:root:/root:/bin/bash
# max:x:7:7::/:/bin/sh
ruth:x:1000:100:Ruth,,,:/home/ruth:/bin/sh
twin:x:1000:100::/home/twin:/bin/sh
`

test.each([
  [0, 'cli:root (0)'],
  [1000, 'cli:ruth (1000)'],
  [100, 'cli:100'],
  [7, 'cli:7'],
  [65_534, 'cli:65534'],
])('the user with the number %d: %s', (uid, actor) => expect(actorOf(uid, passwd)).toBe(actor))

test('a system without a list of users', () => expect(actorOf(1000, '')).toBe('cli:1000'))
