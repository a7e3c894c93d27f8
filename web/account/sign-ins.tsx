import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AnswerTo } from '#api/contract/client.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Confirm } from '#web/parts/overlays/confirm.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { Status } from '#web/parts/status.tsx'
import { type Column, Table } from '#web/parts/table.tsx'
import { TimeAgo } from '#web/parts/time-ago.tsx'
import { call } from '#web/server/api.ts'
import { signInsQuery } from '#web/server/queries.ts'
import { leaveAccount } from '#web/server/session.ts'
import { toast } from '#web/shell/toasts.ts'
import { words } from '#web/words/words.ts'
import styles from './account-page.module.css'
import { Section } from './section.tsx'

type SignIn = AnswerTo<'GET /api/user/sessions'>['sessions'][number]

/** The browsers that are signed in, and the end of one or all. */
export function SignIns() {
  const { signIns } = words.account
  const client = useQueryClient()
  const { data, error } = useQuery(signInsQuery)
  const leave = () => leaveAccount('/')
  const ending = useMutation({
    mutationFn: ({ id }: SignIn) => call('DELETE /api/user/sessions/:id', { params: { id } }),
    onSuccess: (_, signIn) => {
      if (signIn.current) return leave()
      toast(signIns.ended(deviceOf(signIn)))
      return client.invalidateQueries({ queryKey: signInsQuery.queryKey })
    },
  })
  const endingAll = useMutation({
    mutationFn: () => call('POST /api/auth/logout-everywhere', {}),
    onSuccess: leave,
  })
  const problem = ending.error ?? endingAll.error
  const isBusy = ending.isPending || endingAll.isPending
  return (
    <Section title={signIns.title}>
      {data === undefined && error === null && (
        <div className={styles['waiting']}>
          <Skeleton count={2} shape="row" />
        </div>
      )}
      {data === undefined && error !== null && (
        <Notice title={signIns.failed} tone="warn">
          <p>{error.message}</p>
        </Notice>
      )}
      {data !== undefined && (
        <>
          <Table
            caption={signIns.title}
            columns={columnsOf((signIn) => !isBusy && ending.mutate(signIn))}
            keyOf={({ id }) => id}
            rows={data}
          />
          {problem !== null && <Problem>{problem.message}</Problem>}
          <div>
            <Confirm
              isBusy={isBusy}
              label={signIns.endAll}
              onConfirm={() => endingAll.mutate()}
              title={signIns.endAllQuestion}
              yes={signIns.endAll}
            >
              <p>{signIns.endAllText(data.length)}</p>
            </Confirm>
          </div>
        </>
      )}
    </Section>
  )
}

const deviceOf = ({ device }: SignIn): string => device ?? words.account.signIns.unknownDevice

function columnsOf(onEnd: (signIn: SignIn) => void): Column<SignIn>[] {
  const { signIns } = words.account
  return [
    { name: signIns.device, cell: deviceOf },
    {
      name: signIns.lastUsed,
      cell: (signIn) =>
        signIn.current ? (
          <Status state="live">{signIns.here}</Status>
        ) : (
          <TimeAgo at={signIn.lastUsedAt} />
        ),
    },
    { name: signIns.since, cell: ({ createdAt }) => <TimeAgo at={createdAt} /> },
    {
      name: signIns.actions,
      isUnnamed: true,
      isNumber: true,
      cell: (signIn) => (
        <Button
          aria-label={signIns.endOf(signIn.current ? signIns.here : deviceOf(signIn))}
          look="ghost"
          onClick={() => onEnd(signIn)}
        >
          {signIns.end}
        </Button>
      ),
    },
  ]
}
