import { expect, test } from 'bun:test'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { FolderError } from '#cli/folder/folder-error.ts'
import { ConfigError } from '#main/config/config.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { DatabaseAheadError } from '#store/database/migrate.ts'
import { StartError, startFailureSentence } from './start-failure.ts'

const system = (code: string, path?: string, syscall = 'open') =>
  Object.assign(new Error(code), { code, syscall, ...(path && { path }) })
const unavailable = (dialect: 'sqlite' | 'postgres', code: string) =>
  new DatabaseUnavailableError(dialect, system(code))
const named = (name: string, message: string) => Object.assign(new Error(message), { name })

test.each<[unknown, RegExp | null]>([
  [new ConfigError('PORT: too big'), /^PORT: too big$/],
  [new StartError('the sample site'), /^the sample site$/],
  [new FolderError('no folder'), /^no folder$/],
  [
    system('EACCES', '/srv/data'),
    /^\/srv\/data may not be used by the user who runs this: make it theirs, or choose .* --data$/,
  ],
  [
    system('EROFS', '/srv/data'),
    /^\/srv\/data is on a disk that may not be written to; choose .* --data$/,
  ],
  [
    new BlobStorageError('failed', { cause: system('EACCES', '/srv/data/blobs/tmp', 'scandir') }),
    /^\/srv\/data\/blobs\/tmp may not be used by .*--data$/,
  ],
  [system('ENOENT', '/proc/x', 'mkdir'), /^\/proc\/x cannot be made; .*--data/],
  [system('ENOENT', '/srv/data/file'), null],
  [system('ENOTDIR'), /^the data folder is not a folder/],
  [
    unavailable('postgres', 'ECONNREFUSED'),
    /DATABASE_URL.*: nothing answers there \(ECONNREFUSED\)$/,
  ],
  [
    unavailable('postgres', '28P01'),
    /DATABASE_URL.*: it refuses the user or the password \(28P01\)$/,
  ],
  [unavailable('postgres', '3D000'), /DATABASE_URL.*: it has no database of that name \(3D000\)$/],
  [unavailable('postgres', '53300'), /DATABASE_URL cannot be used \(53300\)$/],
  [system('42501'), /^the user of DATABASE_URL may not make .* tables/],
  [
    unavailable('sqlite', 'SQLITE_READONLY'),
    /: the user who runs this may not write to its files \(SQLITE_READONLY\)$/,
  ],
  [
    unavailable('sqlite', 'SQLITE_NOTADB'),
    /: it is damaged, put back a backup of it \(SQLITE_NOTADB\)$/,
  ],
  [
    new DatabaseAheadError('9999-later'),
    /^a newer Sitehost .*\(9999-later\): start that one, or put back the backup/,
  ],
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
