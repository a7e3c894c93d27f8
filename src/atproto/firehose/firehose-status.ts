/** What is known of the firehose since the start; its reader keeps it up to date. */
export class FirehoseStatus {
  isConnected = false
  /** Frames that were read, also those without an event that concerns us. */
  steps = 0
  /** When the source made the latest one, in milliseconds since the epoch; null: none was read, or it does not say. */
  latestAt: number | null = null
  /** Lost connections and skipped frames. */
  problems = 0
}
