import { expect, test } from 'bun:test'
import { parseS3Location } from './s3-location.ts'

const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'hidden', sessionToken: undefined }

const read = (url: string, region?: string) => parseS3Location({ url, region, ...credentials })

test.each([
  ['s3://sites?endpoint=https://s3.example.com', 'https://s3.example.com/sites/', 'us-east-1'],
  [
    's3://sites/a/b/?endpoint=http://127.0.0.1:4566/',
    'http://127.0.0.1:4566/sites/a/b/',
    'us-east-1',
  ],
  [
    's3://sites?endpoint=https://gate.example/s3&region=garage',
    'https://gate.example/s3/sites/',
    'garage',
  ],
  [
    's3://sites?endpoint=https://r2.example&addressing=virtual',
    'https://sites.r2.example/',
    'us-east-1',
  ],
  [
    's3://sites?region=eu-central-1',
    'https://s3.eu-central-1.amazonaws.com/sites/',
    'eu-central-1',
  ],
])('%s is %s in %s', (url, address, region) => {
  const { location } = read(url)
  expect(`${location?.bucketUrl}/${location?.prefix}`).toBe(address)
  expect(location?.region).toBe(region)
})

test('AWS_REGION counts where the address names no region', () => {
  expect(read('s3://sites', 'eu-west-1').location?.bucketUrl).toBe(
    'https://s3.eu-west-1.amazonaws.com/sites',
  )
  expect(
    read('s3://sites?region=garage&endpoint=https://g.example', 'eu-west-1').location?.region,
  ).toBe('garage')
})

test.each([
  'https://sites.example',
  's3://',
  's3://Sites_1?region=eu-west-1',
  's3://sites',
  's3://sites?region=../x',
  's3://sites?endpoint=ftp://s3.example',
  's3://sites?endpoint=https://key:hidden@s3.example',
  's3://key:hidden@sites?region=eu-west-1',
  's3://sites/a%2Fb?region=eu-west-1',
  's3://sites/a%20b?region=eu-west-1',
  's3://sites?region=eu-west-1&acl=public',
  's3://sites?region=eu-west-1&addressing=dns',
])('%s is refused without its secrets', (url) => {
  const { problem } = read(url)
  expect(problem).toBeString()
  expect(problem).not.toContain('hidden')
})

test('without credentials there is no store', () => {
  const { problem } = parseS3Location({
    url: 's3://sites?region=eu-west-1',
    region: undefined,
    accessKeyId: 'AKIA',
    secretAccessKey: undefined,
    sessionToken: undefined,
  })
  expect(problem).toContain('AWS_SECRET_ACCESS_KEY')
})
