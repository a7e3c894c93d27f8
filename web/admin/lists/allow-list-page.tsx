import type { AnswerTo } from '#api/contract/client.ts'
import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import type { Column } from '#web/admin/parts/data-table.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { Facts } from '#web/admin/parts/facts.tsx'
import { ListPage, type ListQuery, type OnDone, OpenLink } from '#web/admin/parts/list-page.tsx'
import { LogLink } from '#web/admin/parts/places.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { SignInNote } from '#web/admin/sign-in-note.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'

const said = listsWords.allowListPage

type AllowedAccount = AnswerTo<'GET /api/admin/allowed'>['accounts'][number]

/** `/admin/allow-list`: who may sign in where not everybody may. */
export const AllowListPage = () => (
  <ListPage
    columns={columns}
    corner={(onDone) => <AddAccount onDone={onDone} />}
    detail={(allowed, onDone) => <AllowedDetail allowed={allowed} onDone={onDone} />}
    empty={said.empty}
    keyOf={({ account }) => account}
    list={listAllowed}
    searchIn={said.searchIn}
    title={said.title}
  />
)

async function listAllowed(query: ListQuery) {
  const { accounts, cursor, signIn } = await call('GET /api/admin/allowed', { query })
  return { rows: accounts, cursor, note: <SignInNote signIn={signIn} /> }
}

const columns: readonly Column<AllowedAccount>[] = [
  {
    head: 'Account',
    isWide: true,
    cell: ({ account }) => <OpenLink of={account}>{account}</OpenLink>,
  },
  { head: 'Added by', isMinor: true, cell: ({ addedBy }) => addedBy },
  { head: 'Since', isMinor: true, cell: ({ at }) => <When at={at} /> },
]

const AddAccount = ({ onDone }: { onDone: OnDone }) => (
  <ActionDialog
    label={said.add}
    onDone={onDone}
    perform={async (fields, reason) => {
      const account = String(fields.get('account')).trim()
      await call('POST /api/admin/allowed', { body: { account, allowed: true, reason } })
      return said.added(account)
    }}
    says={said.addSays}
    title={said.addTitle}
  >
    <TextField
      label={said.account}
      maxLength={accountMax}
      name="account"
      placeholder={said.accountSample}
      required
    />
  </ActionDialog>
)

/** As the contract has it. */
const accountMax = 300

interface AllowedDetailProps {
  readonly allowed: AllowedAccount
  readonly onDone: OnDone
}

const AllowedDetail = ({ allowed: { account, addedBy, at }, onDone }: AllowedDetailProps) => (
  <div className={styles['detail']}>
    <Facts
      facts={[
        ['Account', <code key="account">{account}</code>],
        ['Added by', addedBy],
        ['Since', <When at={at} key="since" />],
        ['Log', <LogLink key="log" search={account} />],
      ]}
    />
    <div className={styles['buttons']}>
      <ActionDialog
        isDangerous
        label={said.remove}
        onDone={onDone}
        perform={async (_, reason) => {
          await call('POST /api/admin/allowed', { body: { account, allowed: false, reason } })
          return said.removed(account)
        }}
        says={said.removeSays}
        title={said.removeTitle(account)}
      />
    </div>
  </div>
)
