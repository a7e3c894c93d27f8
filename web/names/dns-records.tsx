import { CopyButton } from '#web/parts/copy-button.tsx'
import type { CustomDomain } from '#web/server/api.ts'
import styles from './dns-records.module.css'

/** What is to be set at the domain's provider, each piece to be copied. */
export function DnsRecords({ dns: { txt, cname } }: Pick<CustomDomain, 'dns'>) {
  return (
    <div className={styles['records']}>
      <DnsRecord
        pieces={[
          ['Name', txt.name],
          ['Value', txt.value],
        ]}
        purpose="shows that the domain is yours"
        type="TXT"
      />
      <DnsRecord
        pieces={[
          ['Name', cname.name],
          ['Target', cname.target],
        ]}
        purpose="leads its visitors here. At the top of a domain, providers call it ALIAS, ANAME or CNAME flattening"
        type="CNAME"
      />
    </div>
  )
}

interface DnsRecordProps {
  readonly type: string
  readonly purpose: string
  readonly pieces: readonly (readonly [name: string, text: string])[]
}

function DnsRecord({ type, purpose, pieces }: DnsRecordProps) {
  return (
    <div>
      <p>
        <strong>{type} record</strong>: {purpose}.
      </p>
      <dl className={styles['pieces']}>
        {pieces.map(([name, text]) => (
          <div className={styles['piece']} key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{text}</code>
            </dd>
            <dd>
              <CopyButton text={text} what={`${name.toLowerCase()} of the ${type} record`} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
