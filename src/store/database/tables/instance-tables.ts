/** The table of `store/instances`, which the rules of `Schema` hold for. Times are the database's own. */
export interface InstanceTables {
  instances: {
    /** Of its data folder, the same after a restart. */
    id: string
    /** Random, another one after a restart. */
    run: string
    /** Where it answers the others. */
    address: string
    /** As in ROLES. */
    roles: string
    version: string
    startedAt: number
    seenAt: number
  }
}
