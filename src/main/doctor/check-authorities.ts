import { generateKeyPairSync } from 'node:crypto'
import { AcmeClient } from '#certificates/acme/acme-client.ts'
import { type Finding, ok, problem } from '#cli/diagnosis/finding.ts'
import type { Config } from '#main/config/config.ts'

type Ordering = NonNullable<NonNullable<Config['tls']>['ordering']>

/** People wait for the answer. */
const answerMsMax = 5_000
const about = 'certificates'

/** Whether the certificate authorities answer, and are trusted here. Nothing is ordered, and no account is made. */
export async function checkAuthorities({
  authorities,
  caFile,
}: {
  readonly authorities: readonly Pick<Ordering['authorities'][number], 'directory'>[]
  readonly caFile: string | null
}): Promise<Finding[]> {
  let ca: string[]
  try {
    ca = caFile === null ? [] : [await Bun.file(caFile).text()]
  } catch (error) {
    return [problem(about, `${caFile} cannot be read (${reasonOf(error)})`, 'correct ACME_CA')]
  }
  return await Promise.all(authorities.map(({ directory }) => checkAuthority(directory, ca)))
}

async function checkAuthority(directory: string, ca: readonly string[]): Promise<Finding> {
  const signal = AbortSignal.timeout(answerMsMax)
  const client = new AcmeClient({ directory, accountKey: unusedKey(), ca, signal })
  try {
    await client.directory()
    return ok(about, `the certificate authority at ${directory} answers`)
  } catch (error) {
    return problem(
      about,
      `the certificate authority at ${directory} cannot be used (${reasonOf(error)})`,
      'correct ACME_DIRECTORY or ACME_FALLBACK_DIRECTORY, name the root of a private authority in ACME_CA, and let nothing stand between',
    )
  }
}

/** In one line: the errors of a schema have several. */
const reasonOf = (error: unknown): string =>
  error instanceof SyntaxError || (error instanceof Error && error.name === 'ZodError')
    ? 'it is no ACME directory'
    : error instanceof Error
      ? error.message
      : String(error)

function unusedKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
