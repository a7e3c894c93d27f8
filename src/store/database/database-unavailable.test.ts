import { expect, test } from 'bun:test'
import { errorText } from '#observe/error-text.ts'
import { DatabaseUnavailableError } from './database-unavailable.ts'

test('the log has the reason of the database, and takes it for no secret', () => {
  const cause = Object.assign(new Error('sorry, too many clients already'), { code: '53300' })
  expect(errorText(new DatabaseUnavailableError('postgres', cause))).toBe(
    'DatabaseUnavailableError: database unavailable; dialect=postgres reason=53300 <- Error: sorry, too many clients already',
  )
})
