import { isCancel, password as prompt } from '@clack/prompts'

const pipedBytesMax = 4096

/** Why a password is not acceptable, in a sentence; null if it is. */
type ProblemOf = (password: string) => string | null

export type PasswordRead =
  | { readonly kind: 'read'; readonly password: string }
  | { readonly kind: 'given-up' }
  | { readonly kind: 'refused'; readonly problem: string }

/**
 * Reads a new password: at a terminal by a hidden prompt with confirmation, else from the first line of standard
 * input. Never from an argument, which every user of the machine could read.
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
    message: 'Repeat the password',
    mask: ' ',
    validate: (text) => (text === first ? undefined : 'The passwords differ.'),
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
