import { expect, test } from 'bun:test'
import { RequestsInProgress } from './requests-in-progress.ts'

test('a network has its share, and all together have theirs, until a request is over', () => {
  const requests = new RequestsInProgress({ max: 3, perNetworkMax: 2 })
  const first = requests.begin('192.0.2.1')
  expect(requests.begin('192.0.2.1')).not.toBeNull()
  expect(requests.begin('192.0.2.1')).toBeNull()
  expect(requests.begin('192.0.2.2')).not.toBeNull()
  expect(requests.begin('192.0.2.3')).toBeNull()
  first?.[Symbol.dispose]()
  first?.[Symbol.dispose]()
  expect(requests.total).toBe(2)
  expect(requests.begin('192.0.2.1')).not.toBeNull()
})
