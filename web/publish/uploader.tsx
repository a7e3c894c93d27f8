import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { focusOnMount } from '#web/parts/overlays/focus-on-mount.ts'
import type { Choice } from '#web/publish/files/choose-files.ts'
import { rememberedJobs } from '#web/publish/send/remembered-jobs.ts'
import { keys, userQuery } from '#web/server/queries.ts'
import { LazyPart, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { words } from '#web/words/words.ts'
import { type NewSite, PublishForm } from './publish-form.tsx'
import { PublishProgress } from './publish-progress.tsx'
import { publishSession } from './publish-session.ts'
import { isRunning } from './publish-state.ts'
import { freeSiteName } from './suggest-site-name.ts'
import styles from './uploader.module.css'
import { usePublishSession } from './use-publish-session.ts'

const publishResult = lazyModule(() => import('./result/publish-result.tsx'))
const resumedPublishes = lazyModule(() => import('./resumed-publishes.tsx'))

interface UploaderProps {
  readonly title: string
  /** The page says it already. */
  readonly isTitleHidden?: boolean
  /** The sites there are, to publish a new version of one; null while that is not known. */
  readonly siteNames: readonly string[] | null
  /** Publishes to this site only. */
  readonly site?: string
  /** What is asked about a site that is new. */
  readonly newSite?: NewSite
  readonly onPublished?: (siteName: string) => void
}

/** From a folder on someone's disk to a site: choose, send, go live, follow the link. */
export function Uploader(props: UploaderProps) {
  const { title, isTitleHidden = false, siteNames, site, newSite = null, onPublished } = props
  const titleId = useId()
  const session = usePublishSession()
  const { choice, publish } = session
  const [typedName, setTypedName] = useState<string | null>(null)
  const siteName = site ?? typedName ?? nameFor(choice, siteNames ?? none)
  const [hasJobs] = useState(() => rememberedJobs().length > 0)
  const heading = useRef<HTMLHeadingElement>(null)
  useContinue(siteNames, setTypedName)
  usePublished(publish.stage === 'done' ? publish.siteName : null, onPublished)
  const isPublishing = isRunning(publish)
  useEffect(() => {
    // The connection may be gone when it is needed.
    if (isPublishing) void publishResult.load().catch(() => undefined)
  }, [isPublishing])
  const chooseAnother = () => {
    setTypedName(null)
    void publishSession.clear()
    // The button that was pressed goes away; see focusOnMount.
    heading.current?.focus()
  }
  return (
    <>
      {hasJobs && (
        <LazyPart
          of={resumedPublishes}
          props={{ onClose: () => heading.current?.focus(), onPublished }}
        />
      )}
      <section aria-labelledby={titleId} className={styles['uploader']}>
        <h2
          className={
            isTitleHidden || isRunning(publish) || publish.stage === 'done'
              ? 'visually-hidden'
              : undefined
          }
          id={titleId}
          ref={heading}
          tabIndex={-1}
        >
          {title}
        </h2>
        {(publish.stage === 'idle' || publish.stage === 'failed') && (
          <PublishForm
            newSite={newSite}
            onName={site === undefined ? setTypedName : null}
            session={session}
            siteName={siteName}
            siteNames={siteNames}
          />
        )}
        {isRunning(publish) && (
          <>
            <h3 ref={focusOnMount} tabIndex={-1}>
              {words.publish.progress.title(publish.siteName)}
            </h3>
            <PublishProgress onCancel={() => publishSession.cancel()} state={publish} />
          </>
        )}
        {publish.stage === 'done' && (
          <>
            <LazyPart
              of={publishResult}
              props={{
                headingRef: focusOnMount,
                leftOut: choice?.leftOut ?? [],
                result: publish.result,
              }}
            />
            <Button look="secondary" onClick={chooseAnother}>
              {words.publish.result.another}
            </Button>
          </>
        )}
      </section>
    </>
  )
}

const none: readonly string[] = []

/** A folder that happens to have the name of a site does not replace it; one whose `sitehost.json` names it does. */
const nameFor = (choice: Choice | null, siteNames: readonly string[]): string =>
  choice?.siteName ?? freeSiteName(publishSession.suggestedName, siteNames)

/** Brings back what was chosen before the document was loaded; publishes it if that was asked for in this tab. */
function useContinue(siteNames: readonly string[] | null, onName: (name: string) => void): void {
  const { data: user } = useQuery(userQuery)
  const isKnown = siteNames !== null
  const names = useRef(siteNames)
  names.current = siteNames
  useEffect(() => {
    if (!isKnown || user === undefined) return
    void publishSession.restore().then(() => {
      publishSession.unwantUnlessBy(user)
      const { wanted, state } = publishSession
      if (wanted === null || !state.isRestored || state.publish.stage !== 'idle') return
      // It would take the place of another site than was meant: that is asked for here.
      const isNew = !names.current?.includes(wanted)
      if (!isNew && !publishSession.hasBegun) return publishSession.unwant()
      onName(wanted)
      void publishSession.continue(wanted)
    })
  }, [isKnown, onName, user])
}

function usePublished(siteName: string | null, onPublished?: (siteName: string) => void): void {
  const client = useQueryClient()
  const told = useRef(onPublished)
  told.current = onPublished
  useEffect(() => {
    if (siteName === null) return
    void client.invalidateQueries({ queryKey: keys.sites })
    told.current?.(siteName)
  }, [siteName, client])
}
