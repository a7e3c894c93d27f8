import { expect, test } from 'bun:test'
import { deployIdIn } from './deploy-id.ts'

const id = '0b7f3c8e-6f0e-4a44-9d55-0e4f0a1a2b3c'

test.each([
  ['PUT', `/api/deploys/${id}/files/abc`, id],
  ['POST', `/api/deploys/${id}/commit`, id],
  ['DELETE', `/api/deploys/${id}`, id],
  // Any instance reads the rows.
  ['GET', `/api/deploys/${id}`, null],
  ['POST', '/api/site/blog/deploys', null],
  ['POST', '/sitehost/upload-files', null],
  ['PUT', `/api/deploys/${id}/files/abc/def`, null],
  ['DELETE', '/api/deploys/of-nobody', null],
  ['DELETE', '/', null],
])('%s %s', (method, path, expected) => {
  expect(deployIdIn({ method, url: `http://127.0.0.1${path}?x=y` })).toBe(expected)
})
