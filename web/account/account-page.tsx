import { useQuery } from '@tanstack/react-query'
import { buttonClass } from '#web/parts/controls/button.tsx'
import { CopyButton } from '#web/parts/controls/copy-button.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { usageQuery, userQuery } from '#web/server/queries.ts'
import { LazyPart, lazyModule } from '#web/shell/routing/lazy-part.tsx'
import { Page } from '#web/shell/routing/page.tsx'
import { words } from '#web/words/words.ts'
import '#web/words/own-account.ts'
import styles from './account-page.module.css'
import { Appearance } from './appearance.tsx'
import { Removal } from './removal.tsx'
import { Section } from './section.tsx'
import { SignIns } from './sign-ins.tsx'
import { Usage } from './usage.tsx'

// Below the rest, and of few people: loaded after it.
const webhooks = lazyModule(() => import('./webhooks/webhooks.tsx'))

/** `/account`: who one is, what one uses, where one is signed in, which programs receive events, and the way out. */
export default function AccountPage() {
  const { account } = words
  return (
    <Page title={account.title}>
      <header className={styles['head']}>
        <h1>{account.title}</h1>
        <Identity />
      </header>
      <Usage />
      <SignIns />
      <Appearance />
      <Section title={account.export.title}>
        <p className={styles['text']}>{account.export.text}</p>
        <p>
          <a className={buttonClass('secondary')} download href="/api/user/export">
            {account.export.button}
          </a>
        </p>
      </Section>
      <LazyPart fallback={<Skeleton count={2} shape="row" />} of={webhooks} props={{}} />
      <Removal />
    </Page>
  )
}

/** As long as most, so that nothing moves when it is known. */
const anyDid = 'did:plc:'.padEnd(32, 'x')

function Identity() {
  const { data: user } = useQuery(userQuery)
  const { data: usage, isPending } = useQuery(usageQuery)
  const { identity, identityText } = words.account
  return (
    <>
      <dl className={styles['facts']}>
        <div>
          <dt>{identity.handle}</dt>
          <dd>{user === undefined ? '\u00a0' : `@${user.handle}`}</dd>
        </div>
        <div>
          <dt>{identity.did}</dt>
          <dd className={styles['did']}>
            <code className={user === undefined ? styles['unknown'] : undefined}>
              {user?.did ?? anyDid}
            </code>
            {user !== undefined && <CopyButton isSmall text={user.did} what={identity.did} />}
          </dd>
        </div>
        <div>
          <dt>{identity.server}</dt>
          <dd>{isPending ? '\u00a0' : (usage?.pds ?? identity.unknown)}</dd>
        </div>
      </dl>
      <p className={styles['text']}>{identityText}</p>
    </>
  )
}
