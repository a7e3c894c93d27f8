import type { JsonOptions } from '#cli/program.ts'
import { readStatus } from '#main/status/read-status.ts'
import { statusLines } from '#main/status/status-lines.ts'
import { openUpkeep } from './upkeep.ts'

/** Prints how the service is: for people, or as one JSON object. */
export async function runStatus(options: JsonOptions, signal: AbortSignal): Promise<void> {
  await using upkeep = await openUpkeep(options, signal)
  const now = Date.now()
  const status = await readStatus(upkeep.config, upkeep.db, now)
  if (options.json === true) console.log(JSON.stringify(status))
  else for (const line of statusLines(status, now)) console.log(line)
}
