/**
 * Runs `work` while no other caller, in any process of this service, runs work of that name: a mutex across processes.
 * Throws what `work` throws, and when another caller holds the lease for too long.
 */
export type WithLease = <T>(name: string, work: () => Promise<T>) => Promise<T>
