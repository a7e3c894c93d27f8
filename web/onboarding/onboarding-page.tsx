import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Notice } from '#web/parts/notice.tsx'
import { isRunning } from '#web/publish/publish-state.ts'
import { Uploader } from '#web/publish/uploader.tsx'
import { usePublishSession } from '#web/publish/use-publish-session.ts'
import { keys, sitesQuery, userQuery } from '#web/server/queries.ts'
import { useAddress } from '#web/shell/routing/address.ts'
import { LazyDialog, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { Link } from '#web/shell/routing/link.tsx'
import { Page } from '#web/shell/routing/page.tsx'
import '#web/site/domains/address-modules.ts'
import { AddressCheck, AddressField } from '#web/site/domains/address-field.tsx'
import { words } from '#web/words/words.ts'
import '#web/words/own-onboarding.ts'
import styles from './onboarding-page.module.css'
import { useNewAddress } from './use-new-address.ts'

const starterDialog = lazyModule(() => import('#web/start/starter-dialog.tsx'))

/** `/onboarding`: a new site in three steps that replace each other. */
export default function OnboardingPage() {
  const { onboarding, start } = words
  const client = useQueryClient()
  const { data: sites } = useQuery(sitesQuery)
  const { data: user } = useQuery(userQuery)
  const { choice, publish } = usePublishSession()
  const [isStarting, setStarting] = useState(false)
  const address = useNewAddress()
  // The site that is to be updated, which a page of it names.
  const named = useAddress().searchParams.get('site')
  const site = sites?.some(({ rkey }) => rkey === named) ? (named ?? undefined) : undefined
  const isPublishing = isRunning(publish)
  const step = isPublishing || publish.stage === 'done' ? 2 : choice === null ? 0 : 1
  const [title, text] = isPublishing ? onboarding.publishing : titleOf(step, site)
  const isFirst = sites?.length === 0
  const addressFields = (
    <div>
      <AddressField {...address} hint={onboarding.addressHint} isOptional />
      <AddressCheck check={address.check} onType={address.onType} />
    </div>
  )
  return (
    <Page title={onboarding.tab}>
      <header className={styles['opening']}>
        <h1>{title}</h1>
        <p>{text}</p>
        <ol className={styles['steps']}>
          {onboarding.steps.map((name, at) =>
            // What has an address already keeps it.
            site !== undefined && at === 1 ? null : (
              <li
                aria-current={at === step ? 'step' : undefined}
                className={at <= step ? styles['reached'] : undefined}
                key={name}
              >
                {name}
              </li>
            ),
          )}
        </ol>
      </header>
      {address.failure !== null && (
        <Notice tone="warn">
          {onboarding.notAtAddress} {address.failure.why}{' '}
          <Link href={`/sites/${encodeURIComponent(address.failure.siteName)}/domains`}>
            {onboarding.chooseAnother}
          </Link>
        </Notice>
      )}
      <Uploader
        isTitleHidden
        newSite={{ problem: address.problem, onPublish: address.want, fields: addressFields }}
        onPublished={(siteName) => {
          void client.invalidateQueries({ queryKey: keys.sites })
          void address.give(siteName)
        }}
        siteNames={sites?.map(({ rkey }) => rkey) ?? null}
        title={site === undefined ? onboarding.formTitle : onboarding.update(site)}
        {...(site !== undefined && { site })}
      />
      <p className={styles['ways']}>
        {step === 0 && (
          <button className={styles['link']} onClick={() => setStarting(true)} type="button">
            {start.fromTemplate}
          </button>
        )}
        {!isFirst && <Link href="/editor">{onboarding.toSites}</Link>}
      </p>
      {isStarting && (
        <LazyDialog
          of={starterDialog}
          props={{ handle: user?.handle ?? '', onClose: () => setStarting(false) }}
        />
      )}
    </Page>
  )
}

/** The headline of a step and what it says of it. */
function titleOf(step: 0 | 1 | 2, site: string | undefined) {
  const { texts, titles, update, updateText } = words.onboarding
  if (site !== undefined && step < 2) return [update(site), updateText]
  return [titles[step], texts[step]]
}
