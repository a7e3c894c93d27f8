import { ActionDialog } from '#web/admin/parts/action-dialog.tsx'
import styles from '#web/admin/parts/detail.module.css'
import { Facts } from '#web/admin/parts/facts.tsx'
import { LogLink } from '#web/admin/parts/places.tsx'
import { When } from '#web/admin/parts/when.tsx'
import { call } from '#web/server/api.ts'
import { listsWords } from '#web/words/admin/lists.ts'
import { certificateFacts } from './certificate-word.tsx'
import type { AdminDomain } from './domain-columns.tsx'

const said = listsWords.domainDetail

interface DomainDetailProps {
  readonly domain: AdminDomain
  readonly onDone: (told: string) => void
}

/** All about one name. */
export function DomainDetail({ domain: row, onDone }: DomainDetailProps) {
  const { certificate, createdAt, did, domain, lastCheckedAt, rkey, type, warning } = row
  return (
    <div className={styles['detail']}>
      <Facts
        facts={[
          ['Kind', type === 'sitehost' ? 'Below the base domain' : 'Custom domain'],
          ['Owner', did],
          ['Shows', rkey ?? 'no site'],
          ['Since', <When at={createdAt} key="since" />],
          ['Last checked', <When at={lastCheckedAt} key="checked" />],
          ['Warning', warning ?? 'None'],
          ...certificateFacts(certificate),
        ]}
      />
      <p>
        <LogLink search={domain} />
      </p>
      <div className={styles['buttons']}>
        {type === 'custom' && (
          <ActionDialog
            label={said.check}
            onDone={onDone}
            perform={async (_, reason) => {
              const params = { domain }
              const { verified } = await call('POST /api/admin/domains/:domain/recheck', {
                params,
                body: { reason },
              })
              return verified ? said.isVerified(domain) : said.isNotVerified(domain)
            }}
            says={said.checkSays}
            title={said.checkTitle(domain)}
          />
        )}
        <ActionDialog
          isDangerous
          label={said.takeBack}
          onDone={onDone}
          perform={async (_, reason) => {
            await call('POST /api/admin/names/:domain/release', {
              params: { domain },
              body: { reason },
            })
            return said.takenBack(domain)
          }}
          says={said.takeBackSays}
          title={said.takeBackTitle(domain)}
        />
      </div>
    </div>
  )
}
