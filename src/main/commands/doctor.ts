import { counted } from '#cli/counted.ts'
import { findingLines } from '#cli/diagnosis/finding.ts'
import type { JsonOptions } from '#cli/program.ts'
import { readConfig } from '#main/config/config.ts'
import { examine } from '#main/doctor/examine.ts'
import { StartError } from '#main/process/start-failure.ts'

/** Prints what it finds, for people or as one JSON object; throws StartError when there are problems. */
export async function runDoctor(options: JsonOptions, signal: AbortSignal): Promise<void> {
  const readSettings = () =>
    readConfig(options.data === undefined ? {} : { DATA_DIR: options.data })
  const findings = await examine(readSettings, signal)
  if (options.json === true) console.log(JSON.stringify({ findings }))
  else for (const line of findingLines(findings, process.stdout.columns)) console.log(line)
  const problems = findings.filter(({ level }) => level === 'problem').length
  if (problems > 0) throw new StartError(counted(problems, 'problem'))
}
