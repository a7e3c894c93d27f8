import { readFileSync } from 'node:fs'
import { codeOf } from '#observe/code-of.ts'

/** The user who runs this process, as the audit names them. */
export const commandLineActor = (): string => actorOf(process.getuid?.() ?? 0, usersOfSystem())

/**
 * `passwd`: the text of /etc/passwd, which does not list all users of a directory service. Not `userInfo()`: Bun (1.4.5) takes the
 * name from $USER, which anyone may set.
 */
export function actorOf(uid: number, passwd: string): string {
  const name = new RegExp(`^([^:#\n]+):[^:\n]*:${uid}:`, 'm').exec(passwd)?.[1]
  return name === undefined ? `cli:${uid}` : `cli:${name} (${uid})`
}

function usersOfSystem(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8')
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return ''
  }
}
