/** The end of the service, as it is known while it still answers. */
export interface Shutdown {
  /** Aborted when it begins: nothing that takes long is begun any more. */
  readonly begun: AbortSignal
  /** Aborted shortly before the end: whatever is still arriving is answered now, or never. */
  readonly lastCall: AbortSignal
}
