import { expect, test } from 'bun:test'
import { PreviewError } from '#cli/preview-error.ts'
import { DatabaseUnavailableError } from '#store/database-unavailable.ts'
import { ConfigError } from './config.ts'
import { StartError, startFailureSentence } from './start-failure.ts'

const system = (code: string, path?: string) =>
  Object.assign(new Error(code), { code, ...(path && { path }) })
const named = (name: string, message: string) => Object.assign(new Error(message), { name })

test.each<[unknown, RegExp | null]>([
  [new ConfigError('PORT: too big'), /^PORT: too big$/],
  [new StartError('the sample site'), /^the sample site$/],
  [new PreviewError('no folder'), /^no folder$/],
  [system('EACCES', '/srv/data'), /^\/srv\/data may not be written to.*--data/],
  [system('ENOTDIR'), /^the data folder is not a folder/],
  [new DatabaseUnavailableError('postgres', system('ECONNREFUSED')), /DATABASE_URL.*ECONNREFUSED/],
  [new DatabaseUnavailableError('sqlite', system('SQLITE_READONLY')), /SQLITE_READONLY/],
  [
    named('DevnetStartError', 'listen EADDRINUSE 127.0.0.1:26371'),
    /runs in this data folder already/,
  ],
  [named('DevnetStartError', 'devnet ended with 1'), /did not start: devnet ended with 1/],
  [new TypeError('x is undefined'), null],
  ['text', null],
])('%p', (error, sentence) => {
  const actual = startFailureSentence(error)
  if (sentence === null) expect(actual).toBeNull()
  else expect(actual).toMatch(sentence)
})
