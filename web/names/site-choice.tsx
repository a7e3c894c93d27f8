import { ChoiceForm } from './choice-form.tsx'

interface SiteChoiceProps {
  readonly domain: string
  readonly siteNames: readonly string[]
  /** Empty: none. */
  readonly value: string
  readonly onSave: (site: string | null) => Promise<unknown>
}

/** Which site a name shows; where there is none to choose, how to get one. */
export function SiteChoice({ domain, siteNames, value, onSave }: SiteChoiceProps) {
  if (siteNames.length === 0 && value === '') {
    return (
      <p>
        <a href="/editor">Publish a site</a>, then choose here that {domain} shows it.
      </p>
    )
  }
  return (
    <ChoiceForm
      choices={siteNames}
      label={`Site that ${domain} shows`}
      none="None"
      onSave={onSave}
      value={value}
    />
  )
}
