/**
 * Runs `work` while nobody else, in this process or another of this service, runs work of that name: a mutex across
 * processes. Throws what `work` throws, and when somebody else holds the lease for too long.
 */
export type WithLease = <T>(name: string, work: () => Promise<T>) => Promise<T>
