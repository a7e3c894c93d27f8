import { expect, test } from 'bun:test'
import { forgetJob, rememberedJobs, rememberJob } from './remembered-jobs.ts'

test('remembers a job until it is forgotten', () => {
  const storage = new FakeStorage()
  expect(names(storage)).toEqual([])
  remember(storage, 'blog', 'a.b_~:-c')
  expect(names(storage)).toEqual(['blog', 'a.b_~:-c'])
  forgetJob('job-of-blog', asStorage(storage))
  forgetJob('job-of-nothing', asStorage(storage))
  expect(names(storage)).toEqual(['a.b_~:-c'])
  forgetJob('job-of-a.b_~:-c', asStorage(storage))
  expect(storage.size).toBe(0)
})

test('four at most, the newest', () => {
  const storage = new FakeStorage()
  remember(storage, '1', '2', '3', '4')
  expect(names(storage)).toEqual(['1', '2', '3', '4'])
  remember(storage, '5')
  expect(names(storage)).toEqual(['2', '3', '4', '5'])
})

class FakeStorage extends Map<string, string> {
  getItem = (key: string) => this.get(key) ?? null
  setItem = (key: string, value: string) => void this.set(key, value)
  removeItem = (key: string) => void this.delete(key)
}

const asStorage = (storage: FakeStorage) => storage as unknown as Storage

const names = (storage: FakeStorage) =>
  rememberedJobs(asStorage(storage)).map(({ siteName }) => siteName)

function remember(storage: FakeStorage, ...siteNames: string[]): void {
  for (const siteName of siteNames) {
    rememberJob({ jobId: `job-of-${siteName}`, siteName }, asStorage(storage))
  }
}
