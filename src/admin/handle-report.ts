import { recordEvent } from '#observe/events.ts'
import { handleReport as closeReport, type Report } from '#store/moderation/reports.ts'
import { type AdminContext, audited, type By } from './action.ts'

export const outcomeCharsMax = 500

/** Closes an open report. Taking its site offline is another action. Null: no open report has this id. */
export async function handleReport(
  id: number,
  outcome: string,
  by: By,
  context: AdminContext,
): Promise<Report | null> {
  const { now } = context
  const action = { action: 'report.handle', subject: String(id), details: { outcome } }
  const report = await audited(action, by, context, (transaction) =>
    closeReport(transaction, id, { handledBy: by.actor, outcome, now: now() }),
  )
  if (report !== null) {
    const { did, site } = report
    recordEvent(context.log, 'report_handled', { did, site, outcome, ...by })
  }
  return report
}
