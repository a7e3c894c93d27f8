import { userInfo } from 'node:os'

/** Whoever runs a command, as the audit names them. */
export const commandLineActor = (): string => `cli:${userInfo().username}`
