/** When a parked row of a queue is due: when it is asked for again, and not before. */
export const parkedAt = Number.MAX_SAFE_INTEGER
