import { z } from 'zod'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'

/** A command that a program may run for a person. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly annotations: Annotations
  /** What a person may have to confirm, as `confirm` names it. */
  readonly subject?: (input: never) => string
  readonly run: (input: never, account: AccountOptions, context: CommandContext) => Promise<void>
}

interface Annotations {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  /** All of them ask servers of others. */
  readonly openWorldHint: true
}

export const reads: Annotations = { readOnlyHint: true, openWorldHint: true }
/** Changes nothing that is there. */
export const adds: Annotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}
export const replaces: Annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: true,
}

export const site = z.string().describe('Name of the site, as list_sites has it')
export const confirm = z
  .string()
  .optional()
  .describe('Only after the person has agreed: what the refusal says that it has to be')

type Given<Options> = { [Name in keyof Options]: Exclude<Options[Name], undefined> }

/** Without the options that are not given. */
export const given = <Options extends object>(options: Options): Given<Options> =>
  Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Given<Options>
