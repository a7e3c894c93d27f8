import type { AnswerTo } from '#api/contract/client.ts'
import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import type { AccountActionsProps } from './account-actions-props.ts'

const said = listsWords.limitsDialog

const bytesOfMegabyte = 1024 * 1024

export interface LimitsDialogProps extends AccountActionsProps {
  readonly limits: AnswerTo<'GET /api/admin/accounts/:did'>['limits']
}

/** Limits of one account, in place of those of the settings. */
export const LimitsDialog = ({ did, limits, name, onDone }: LimitsDialogProps) => (
  <ActionDialog
    label={said.set}
    onDone={onDone}
    perform={async (fields, reason) => {
      const megabytes = numberOf(fields, 'megabytes')
      await call('POST /api/admin/accounts/:did/limits', {
        params: { did },
        body: {
          sitesMax: numberOf(fields, 'sites'),
          bytesMax: megabytes === null ? null : Math.round(megabytes * bytesOfMegabyte),
          uploadsPerDayMax: numberOf(fields, 'uploads'),
          reason,
        },
      })
      return said.told(name)
    }}
    says={said.says}
    title={said.title(name)}
  >
    <TextField
      defaultValue={limits.sitesMax ?? ''}
      inputMode="numeric"
      label={said.sites}
      min={0}
      name="sites"
      step={1}
      type="number"
    />
    <TextField
      defaultValue={limits.bytesMax === null ? '' : limits.bytesMax / bytesOfMegabyte}
      inputMode="decimal"
      label={said.megabytes}
      min={0}
      name="megabytes"
      step="any"
      type="number"
    />
    <TextField
      defaultValue={limits.uploadsPerDayMax ?? ''}
      inputMode="numeric"
      label={said.uploadsADay}
      min={0}
      name="uploads"
      step={1}
      type="number"
    />
  </ActionDialog>
)

/** Null: the field is empty. */
function numberOf(fields: FormData, name: string): number | null {
  const text = String(fields.get(name) ?? '')
  return text === '' ? null : Number(text)
}
