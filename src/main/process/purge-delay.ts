/** Milliseconds until freed memory is returned to the system, unless the operator has decided. `bin/sitehost` has it too, and says why. */
export const defaultPurgeDelayMs = '30000'
