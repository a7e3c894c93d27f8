import { useId, useRef, useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { focusOnMount } from '#web/parts/focus-on-mount.ts'
import type { Collection } from './collect-files.ts'
import { PublishForm } from './publish-form.tsx'
import { PublishProgress } from './publish-progress.tsx'
import { PublishResult } from './publish-result.tsx'
import { ResumedPublishes } from './resumed-publishes.tsx'
import { suggestSiteName } from './suggest-site-name.ts'
import styles from './uploader.module.css'
import { useNoStrayDrops } from './use-no-stray-drops.ts'
import { usePublish } from './use-publish.ts'

interface UploaderProps {
  readonly title: string
  /** The sites there are, to publish a new version of one. */
  readonly siteNames: readonly string[]
  readonly onPublished?: () => void
}

/** From a folder on someone's disk to a site: choose, send, store, follow the link. */
export function Uploader({ title, siteNames, onPublished }: UploaderProps) {
  useNoStrayDrops()
  const titleId = useId()
  const [collection, setCollection] = useState<Collection | null>(null)
  const [typedName, setTypedName] = useState<string | null>(null)
  const { publishing, publish, startOver, cancel } = usePublish(onPublished)
  const siteName = typedName ?? suggestSiteName(collection?.folder ?? '')
  const heading = useRef<HTMLHeadingElement>(null)
  const chooseAnother = () => {
    setCollection(null)
    setTypedName(null)
    startOver()
    // The button that was pressed goes away; see focusOnMount.
    heading.current?.focus()
  }

  const isUnderWay = publishing.stage === 'sending' || publishing.stage === 'storing'
  const isCancelling = isUnderWay && publishing.isCancelling

  return (
    <>
      <ResumedPublishes onClose={() => heading.current?.focus()} onPublished={onPublished} />
      <section aria-labelledby={titleId} className={styles['uploader']}>
        <h2 id={titleId} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        {(publishing.stage === 'choosing' || publishing.stage === 'failed') && (
          <PublishForm
            collection={collection}
            failure={publishing.stage === 'failed' ? publishing.message : null}
            onCollect={setCollection}
            onName={setTypedName}
            onPublish={(files) => void publish(siteName, files)}
            siteName={siteName}
            siteNames={siteNames}
          />
        )}
        {isUnderWay && (
          <>
            <h3 ref={focusOnMount} tabIndex={-1}>
              Publishing {siteName}
            </h3>
            <PublishProgress publishing={publishing} />
            <Button isBusy={isCancelling} look="secondary" onClick={cancel}>
              Cancel
            </Button>
          </>
        )}
        {publishing.stage === 'done' && (
          <>
            <PublishResult
              headingRef={focusOnMount}
              leftOut={collection?.leftOut ?? []}
              result={publishing.result}
            />
            <Button look="secondary" onClick={chooseAnother}>
              Publish another
            </Button>
          </>
        )}
      </section>
    </>
  )
}
