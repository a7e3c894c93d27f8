import type { AppClient } from '../../../devnet/app-client.ts'

export interface Claimer {
  readonly did: string
  readonly client: AppClient
}

/** Who was given each name. */
export type Given = ReadonlyMap<string, readonly string[]>

/** All want each name, at the same time. Who hears nothing does not know whether it has the name. */
export async function claimAll(
  claimers: readonly Claimer[],
  names: readonly string[],
): Promise<Given> {
  const given = new Map<string, string[]>(names.map((name) => [name, []]))
  for (const name of names) {
    await Promise.all(
      claimers.map(async ({ client, did }) => {
        const body = JSON.stringify({ handle: name })
        const answer = await client
          .fetch('/api/domain/claim', { method: 'POST', body })
          .catch(() => null)
        if (answer?.status === 200) given.get(name)?.push(did)
        await answer?.text()
      }),
    )
  }
  return given
}
