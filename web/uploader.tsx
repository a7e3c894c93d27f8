import { useId, useRef, useState } from 'react'
import type { Collection } from './collect-files.ts'
import { PublishForm } from './publish-form.tsx'
import { PublishProgress } from './publish-progress.tsx'
import { PublishResult } from './publish-result.tsx'
import { suggestSiteName } from './suggest-site-name.ts'
import styles from './uploader.module.css'
import { usePublish } from './use-publish.ts'

interface UploaderProps {
  readonly title: string
  /** The sites there are, to publish a new version of one. */
  readonly siteNames: readonly string[]
  readonly onPublished?: () => void
}

/** From a folder on someone's disk to a site: choose, send, store, follow the link. */
export function Uploader({ title, siteNames, onPublished }: UploaderProps) {
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

  return (
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
      {(publishing.stage === 'sending' || publishing.stage === 'storing') && (
        <PublishProgress onCancel={cancel} publishing={publishing} siteName={siteName} />
      )}
      {publishing.stage === 'done' && (
        <PublishResult
          leftOut={collection?.leftOut ?? []}
          onAgain={chooseAnother}
          result={publishing.result}
        />
      )}
    </section>
  )
}
