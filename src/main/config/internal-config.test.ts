import { describe, expect, test } from 'bun:test'
import { ConfigError, readConfig } from './config.ts'

const ofSeveral = {
  ...{ DATABASE_URL: 'postgres://db.example/sitehost', BLOBS_URL: 's3://blobs' },
  ...{ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1' },
  ...{ INTERNAL_LISTEN: '10.0.0.1:3002', INTERNAL_TOKEN: 'x'.repeat(16) },
  ...{
    SECRET_KEY: 'x'.repeat(32),
    BASE_URL: 'https://sitehost.dev',
    BASE_DOMAIN: 'sites.dev',
  },
}

test('with PostgreSQL, a bucket and an internal address a process is one of several instances', () => {
  const read = (changed: object) => readConfig({}, { ...ofSeveral, ...changed })
  expect(read({})).toMatchObject({ isOneOfSeveral: true, hostingAt: null })
  expect(read({ ROLES: 'app' })).toMatchObject({ isOneOfSeveral: true, hostingAt: { url: null } })
  expect(read({ ROLES: 'edge,ingest', SECRET_KEY: '' }).isOneOfSeveral).toBe(true)
  expect(read({ INTERNAL_LISTEN: '' }).isOneOfSeveral).toBe(false)
})

const ofEdge = { ...ofSeveral, ROLES: 'edge', INTERNAL_LISTEN: '', SECRET_KEY: '' }

test('an edge of its own is no instance, needs no SECRET_KEY, and asks any instance or one of them', () => {
  const read = (changed: object) => readConfig({}, { ...ofEdge, ...changed })
  expect(read({})).toMatchObject({
    roles: { app: false, hosting: false, isEdgeAlone: true },
    isOneOfSeveral: false,
    hostingAt: { url: null },
    internal: null,
    askListen: null,
  })
  const url = 'http://10.0.0.1:3002/'
  expect(read({ HOSTING_URL: url })).toMatchObject({ hostingAt: { url } })
})

describe('a setting that cannot be used is named', () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ HOSTING_URL: 'http://127.0.0.1:3002' }, /HOSTING_URL: only for ROLES=app/],
    [{ INTERNAL_LISTEN: '127.0.0.1:3002' }, /INTERNAL_LISTEN: only for ROLES=app/],
    [{ ...ofSeveral, INTERNAL_LISTEN: '0.0.0.0:3002' }, /INTERNAL_LISTEN: an address of this/],
    [{ ...ofSeveral, INTERNAL_LISTEN: '[::]:3002' }, /INTERNAL_LISTEN: an address of this/],
    [{ ...ofSeveral, INTERNAL_TOKEN: '' }, /INTERNAL_TOKEN: the same token for all/],
    [{ ...ofSeveral, SECRET_KEY: '' }, /SECRET_KEY: the same secret for all/],
    [{ ...ofSeveral, BASE_URL: '' }, /BASE_URL: the same address for all/],
    [{ ...ofSeveral, HOSTING_URL: 'http://127.0.0.1:3002' }, /HOSTING_URL: only with ROLES=app/],
    [
      {
        ...{ ROLES: 'app', INTERNAL_TOKEN: 'x'.repeat(16), HOSTING_URL: 'http://127.0.0.1:3002' },
        EDGE_PROCESSES: '2',
      },
      /EDGE_PROCESSES: not with ROLES=app/,
    ],
    [{ ...ofEdge, DATABASE_URL: '' }, /DATABASE_URL: with ROLES=edge/],
    [{ ...ofEdge, BLOBS_URL: '' }, /BLOBS_URL: with ROLES=edge/],
    [{ ...ofEdge, INTERNAL_TOKEN: '' }, /INTERNAL_TOKEN: the same token as/],
    [{ ...ofEdge, BASE_URL: '' }, /BASE_URL: with ROLES=edge/],
    [{ ...ofEdge, INTERNAL_LISTEN: '10.0.0.1:3002' }, /INTERNAL_LISTEN: not with ROLES=edge/],
    [{ ...ofEdge, ASK_LISTEN: '10.0.0.1:3001' }, /ASK_LISTEN: not with ROLES=edge/],
    [{ ...ofEdge, METRICS_LISTEN: '10.0.0.1:9464' }, /METRICS_LISTEN: not with ROLES=edge/],
    [{ ...ofEdge, EDGE_PROCESSES: '2' }, /EDGE_PROCESSES: not with ROLES=edge/],
    [{ ...ofEdge, TLS: 'auto', TLS_LISTEN: '[::]:443' }, /TLS: off where ROLES/],
    [{ ROLES: 'app' }, /INTERNAL_TOKEN/],
    [{ ROLES: 'app', INTERNAL_TOKEN: 'x'.repeat(16) }, /HOSTING_URL/],
    [{ ROLES: 'edge,ingest', INTERNAL_TOKEN: 'x'.repeat(16) }, /BASE_URL/],
    [
      { ROLES: 'ingest, edge', INTERNAL_TOKEN: 'x'.repeat(16), BASE_URL: 'http://127.0.0.1:3000' },
      /INTERNAL_LISTEN/,
    ],
  ]
  for (const [environment, message] of refused) {
    test(JSON.stringify(environment), () => {
      expect(() => readConfig({}, environment)).toThrow(ConfigError)
      expect(() => readConfig({}, environment)).toThrow(message)
    })
  }
})
