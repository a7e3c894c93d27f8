/**
 * Resolves when the event loop has been round: whatever else was ready went first. By a timer, because with Bun
 * 1.4.5 `setImmediate` waits up to a second when it is called behind the disk and nothing else wakes the loop.
 */
export const nextTurn = (): Promise<void> => Bun.sleep(0)
