import { expect, test } from 'bun:test'
import { openDatabase } from '#store/database/database.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { openClientKeys } from './open-oauth.ts'

onEachStore('client keys', (_, __, options) => {
  test('five instances that need the first one together agree, and on the next one too', async () => {
    await using opened = new AsyncDisposableStack()
    const databases = Array.from({ length: 5 }, () => opened.use(openDatabase(options())))
    const secrets = ['a secret of thirty-two characters'] as const
    const instances = await Promise.all(
      databases.map(({ db }) => openClientKeys({ db, secrets: [...secrets] })),
    )
    const signing = async () =>
      new Set(
        (await Promise.all(instances.map((keys) => keys.inUse()))).map(([{ jwk }]) => jwk.kid),
      )
    const shown = async () =>
      new Set(
        (await Promise.all(instances.map((keys) => keys.publicKeys()))).map((all) =>
          JSON.stringify(all),
        ),
      )
    const first = await signing()
    expect(first.size).toBe(1)
    await instances[3]?.rotate()
    expect(await instances[0]?.publicKeys()).toHaveLength(2)
    expect((await shown()).size).toBe(1)
    expect(await signing()).toEqual(first)
  })
})
