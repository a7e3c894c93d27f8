import type { z } from 'zod'

/** An invalid setting; `message` says which, and what it should be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** What a setting names cannot be used now: a port in use, a file that another program writes. It may be later. */
export class UnusableError extends ConfigError {}

export type Environment = Readonly<Record<string, string | undefined>>

/** An empty value counts as none. Throws ConfigError. */
export function parseSettings<Schema extends z.ZodType>(schema: Schema, environment: Environment) {
  const given = Object.entries(environment).filter(([, value]) => value !== '')
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError(problems.join('; '))
}
