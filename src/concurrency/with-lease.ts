/**
 * Runs `work` while nobody else, in this process or another of this service, runs work of that name.
 * Throws what `work` throws, and when somebody else is at it for too long.
 */
export type Alone = <T>(name: string, work: () => Promise<T>) => Promise<T>
