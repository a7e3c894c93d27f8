import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { TextField } from '#web/parts/controls/field.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { focusOnMount } from '#web/parts/overlays/focus-on-mount.ts'
import { sitesQuery } from '#web/server/queries.ts'
import { ErrorDetails } from '#web/shell/error-details.tsx'
import { problemOf } from '#web/shell/page-errors.ts'
import { words } from '#web/words/words.ts'
import { ChosenFiles } from './chosen-files.tsx'
import { FileDrop } from './file-drop.tsx'
import { findRemovals, type Removals } from './find-removals.ts'
import styles from './publish-form.module.css'
import { publishSession, type SessionState } from './publish-session.ts'
import { siteNameProblem } from './site-name-problem.ts'
import { useRemovals } from './use-removals.ts'

/** What a page asks about a site that is new. */
export interface NewSite {
  readonly fields: ReactNode
  /** Why it cannot be published with what the fields have, or null. */
  readonly problem: string | null
  /** It is about to be published. */
  readonly onPublish: (siteName: string) => void
}

interface PublishFormProps {
  readonly session: SessionState
  readonly siteName: string
  /** The sites there are, to publish a new version of one; null while that is not known. */
  readonly siteNames: readonly string[] | null
  /** Called with null while nobody has typed a name, and the files may suggest one. Null: the name is not to be chosen. */
  readonly onName: ((name: string | null) => void) | null
  readonly newSite: NewSite | null
}

/** The files and the name of the site. */
export function PublishForm(props: PublishFormProps) {
  const { session, siteName, siteNames, onName } = props
  const { form } = words.publish
  const { choice, publish } = session
  // No problems are shown before the form is filled in.
  const [isTried, setTried] = useState(false)
  const [listProblem, setListProblem] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const client = useQueryClient()
  const listId = useId()
  const nameProblem = siteNameProblem(siteName)
  const filesProblem = filesProblemOf(session)
  // Before there is something to publish, there is nothing to ask about it.
  const isAsked = choice !== null || session.found !== null || publish.stage === 'failed'
  const isReplacing = siteNames?.includes(siteName) === true
  const newSite = isReplacing ? null : props.newSite
  const known = useRemovals(isReplacing ? siteName : null, choice)
  const removals = known?.removals ?? null
  const failure = publish.stage === 'failed' ? publish : null
  const latest = useRef({ siteName, newSite })
  useEffect(() => {
    latest.current = { siteName, newSite }
  })

  const submit = async () => {
    // Who is quicker than the reading need not press again.
    await publishSession.chosen
    setTried(true)
    if (filesProblemOf(publishSession.state) !== null || nameProblem !== null) return
    if (newSite !== null && newSite.problem !== null) return
    const { choice: chosen } = publishSession.state
    setListProblem(null)
    if (siteNames === null) {
      const listed = await lookUpName(siteName)
      if (listed !== 'free' && listed !== 'taken') setListProblem(listed.problem)
      // Whoever is quicker than the list of sites has not agreed to replace one. The form asks now.
      if (listed !== 'free') return
    }
    if (isReplacing && chosen !== null && known?.choice !== chosen) {
      // Nobody has agreed to what was not shown yet.
      if ((await findRemovals(siteName, chosen)) !== null) return
    }
    // Changed while it waited: the press was for something else.
    const { newSite: newest, siteName: name } = latest.current
    if (name !== siteName || publishSession.state.choice !== chosen) return
    if (newest !== null && newest.problem !== null) return
    setTried(false)
    newest?.onPublish(siteName)
    const isSame = failure?.siteName === siteName && failure.kind !== 'conflict'
    if (isSame) void publishSession.retry()
    else void publishSession.publish(siteName)
  }

  /** Whether a site has this name, or why that cannot be known. */
  const lookUpName = async (name: string): Promise<'free' | 'taken' | { problem: string }> => {
    try {
      const sites = await client.ensureQueryData(sitesQuery)
      return sites.some(({ rkey }) => rkey === name) ? 'taken' : 'free'
    } catch (error) {
      return { problem: problemOf(error) }
    }
  }

  const begin = isReplacing ? form.replace(siteName) : form.publish
  const press = (event: FormEvent) => {
    event.preventDefault()
    if (isBusy) return
    setBusy(true)
    void submit().finally(() => setBusy(false))
  }

  return (
    <form className={styles['form']} noValidate onSubmit={(event) => press(event)}>
      {choice !== null && <ChosenFiles choice={choice} session={session} />}
      <FileDrop session={session} />
      {isAsked && onName !== null && (
        <>
          <TextField
            autoComplete="off"
            hint={isReplacing ? form.replaces(siteName) : form.rule}
            label={form.siteName}
            list={listId}
            name="siteName"
            // An empty field stays so: what is below it would move from under a press.
            onBlur={() => siteName === '' && choice === null && onName(null)}
            onChange={(event) => onName(event.target.value)}
            // A suggestion that arrives while somebody types would mix with the letters.
            onFocus={() => onName(siteName)}
            problem={isTried ? nameProblem : null}
            value={siteName}
          />
          <datalist id={listId}>
            {siteNames?.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          {newSite?.fields}
        </>
      )}
      {isTried && filesProblem !== null && <Problem>{filesProblem}</Problem>}
      {siteNames === null && listProblem !== null && <Problem>{listProblem}</Problem>}
      {failure !== null && (
        <Notice tone={failure.kind === 'cancelled' ? 'info' : 'danger'}>
          {failure.message}
          {failure.kind === 'conflict' && ` ${form.replaceWith}`}
          {failure.unforeseen !== undefined && <ErrorDetails error={failure.unforeseen} />}
        </Notice>
      )}
      {removals !== null && <Notice tone="warn">{removalText(siteName, removals)}</Notice>}
      {/* Never disabled: pressing it too early shows what is missing. */}
      {isAsked && (
        <Button
          isBusy={isBusy}
          look={removals === null ? 'primary' : 'danger'}
          ref={failure === null ? null : focusOnMount}
          type="submit"
        >
          {failure === null ? begin : form.tryAgain}
        </Button>
      )}
    </form>
  )
}

function removalText(siteName: string, removals: Removals): string {
  const { form } = words.publish
  if (removals === 'unknown') return form.removesUnknown(siteName)
  return form.removes(removals.removed, removals.present, siteName)
}

function filesProblemOf({ choice }: SessionState): string | null {
  const { form } = words.publish
  if (choice === null) return form.chooseFirst
  return choice.problems.length === 0 ? null : form.cannot
}
