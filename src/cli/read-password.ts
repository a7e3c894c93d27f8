import { isCancel, password as prompt } from '@clack/prompts'

const pipedBytesMax = 4096

/** Why a password cannot be one, in a sentence; null when it can. */
type ProblemOf = (password: string) => string | null

export type PasswordRead =
  | { readonly kind: 'read'; readonly password: string }
  | { readonly kind: 'given-up' }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * A new password: asked of a person, twice and unseen, until it can be one; of a program, its first line on
 * standard input. Never an argument, which every user of the machine could read.
 */
export async function readPassword(problemOf: ProblemOf): Promise<PasswordRead> {
  return process.stdin.isTTY ? await askPerson(problemOf) : await readLine(problemOf)
}

async function askPerson(problemOf: ProblemOf): Promise<PasswordRead> {
  const first = await prompt({
    message: 'Password',
    mask: ' ',
    validate: (text) => problemOf(text ?? '') ?? undefined,
  })
  if (isCancel(first)) return { kind: 'given-up' }
  const second = await prompt({
    message: 'The same again',
    mask: ' ',
    validate: (text) => (text === first ? undefined : 'That was another one.'),
  })
  return isCancel(second) ? { kind: 'given-up' } : { kind: 'read', password: first }
}

async function readLine(problemOf: ProblemOf): Promise<PasswordRead> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of process.stdin) {
    text += decoder.decode(chunk, { stream: true })
    if (text.includes('\n') || text.length > pipedBytesMax) break
  }
  const password = text.split(/\r?\n/)[0] ?? ''
  const problem = problemOf(password)
  return problem === null ? { kind: 'read', password } : { kind: 'refused', problem }
}
