import { words } from '#web/words/words.ts'

/** Whose tokens a job of the forge has; '' for one that its owner names. */
export const issuers = {
  github: 'https://token.actions.githubusercontent.com',
  gitlab: 'https://gitlab.com',
  other: '',
}

export type Forge = keyof typeof issuers

/** As people call the forge: by its name where we know it, else its host. */
export function forgeName(issuer: string): string {
  const { github, gitlab } = words.ci.repositories.forges
  if (issuer === issuers.github) return github
  return issuer === issuers.gitlab ? gitlab : new URL(issuer).host
}

/** `alice/site`, also of the address that somebody copies from their browser or their clone. */
export function repositoryName(typed: string): string {
  const [, host = '', path = typed] =
    /^(?:https?:\/\/|ssh:\/\/git@|git@)([^/:]+(?::\d+)?)[/:](.+)$/i.exec(typed) ??
    /^(github\.com|gitlab\.com)\/(.+)$/i.exec(typed) ??
    []
  const segments = path.replace(/[?#].*$|\/-\/.*$/s, '').split('/')
  // What follows is a page of it. At other forges, it may be in groups of groups.
  const own = host.toLowerCase() === 'github.com' ? segments.slice(0, 2) : segments
  return own.join('/').replace(/(?:\.git)?\/*$/, '')
}
