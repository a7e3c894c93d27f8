import { words } from '#web/words/words.ts'

export type TokenScope = 'deploy' | 'preview'

export const scopeChoices = () =>
  (['deploy', 'preview'] as const).map((value) => ({ value, name: words.ci.scopes[value] }))
