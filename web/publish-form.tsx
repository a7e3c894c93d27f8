import { type FormEvent, useId, useState } from 'react'
import { parseSiteName } from '#site/site-name.ts'
import { Button } from './button.tsx'
import { ChosenFiles } from './chosen-files.tsx'
import type { Collection, PickedFile } from './collect-files.ts'
import { focusOnMount } from './focus-on-mount.ts'
import { FolderPicker } from './folder-picker.tsx'
import { Problem } from './problem.tsx'
import styles from './publish-form.module.css'
import { TextField } from './text-field.tsx'

interface PublishFormProps {
  readonly collection: Collection | null
  readonly siteName: string
  readonly siteNames: readonly string[]
  /** Why the last try did not work, or null. */
  readonly failure: string | null
  readonly onCollect: (collection: Collection) => void
  readonly onName: (name: string) => void
  readonly onPublish: (files: readonly PickedFile[]) => void
}

/** The folder and the name. What it hands on is complete and has a valid name. */
export function PublishForm(props: PublishFormProps) {
  const { collection, failure, onCollect, onName, onPublish, siteName, siteNames } = props
  const [problem, setProblem] = useState<string | null>(null)
  const listId = useId()

  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isNamed = parseSiteName(siteName) !== null
    setProblem(isNamed ? null : `Give the site a name. ${nameRule}`)
    if (isNamed && collection !== null) onPublish(collection.files)
  }
  const rename = (name: string) => {
    setProblem(null)
    onName(name)
  }

  return (
    <form className={styles['form']} noValidate onSubmit={submit}>
      <FolderPicker isChosen={collection !== null} onCollect={onCollect} />
      {collection !== null && <ChosenFiles collection={collection} />}
      <TextField
        autoComplete="off"
        hint={siteNames.includes(siteName) ? `Replaces your site “${siteName}”.` : nameRule}
        label="Site name"
        list={listId}
        name="siteName"
        onChange={(event) => rename(event.target.value)}
        problem={problem}
        value={siteName}
      />
      <datalist id={listId}>
        {siteNames.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {failure !== null && <Problem>{failure}</Problem>}
      <Button
        disabled={collection === null || collection.problem !== null}
        ref={failure === null ? null : focusOnMount}
        type="submit"
      >
        {failure === null ? 'Publish' : 'Try again'}
      </Button>
    </form>
  )
}

const nameRule = 'Letters without accents, digits, and any of . _ ~ : -'
