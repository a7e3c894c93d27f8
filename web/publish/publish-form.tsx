import { type FormEvent, useId, useState } from 'react'
import { Button } from '#web/parts/button.tsx'
import { TextField } from '#web/parts/field.tsx'
import { focusOnMount } from '#web/parts/focus-on-mount.ts'
import { Problem } from '#web/parts/problem.tsx'
import { ChosenFiles } from './chosen-files.tsx'
import type { Collection, PickedFile } from './collect-files.ts'
import { FolderPicker } from './folder-picker.tsx'
import styles from './publish-form.module.css'
import { siteNameProblem } from './site-name-problem.ts'

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
  // No problems are shown before the form is filled in.
  const [isTried, setTried] = useState(false)
  const listId = useId()
  const nameProblem = siteNameProblem(siteName)
  const filesProblem = filesProblemOf(collection)

  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (collection === null || filesProblem !== null || nameProblem !== null) return
    onPublish(collection.files)
  }
  const collect = (chosen: Collection) => {
    setTried(false)
    onCollect(chosen)
  }
  const rename = (name: string) => {
    setTried(false)
    onName(name)
  }

  return (
    <form className={styles['form']} noValidate onSubmit={submit}>
      <FolderPicker isChosen={collection !== null} onCollect={collect} />
      {collection !== null && <ChosenFiles collection={collection} />}
      <TextField
        autoComplete="off"
        hint={siteNames.includes(siteName) ? `Replaces your site “${siteName}”.` : nameRule}
        label="Site name"
        list={listId}
        name="siteName"
        onChange={(event) => rename(event.target.value)}
        problem={isTried ? nameProblem : null}
        value={siteName}
      />
      <datalist id={listId}>
        {siteNames.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {isTried && filesProblem !== null && <Problem>{filesProblem}</Problem>}
      {failure !== null && <Problem>{failure}</Problem>}
      {/* Never disabled: pressing it too early shows what is missing. */}
      <Button ref={failure === null ? null : focusOnMount} type="submit">
        {failure === null ? 'Publish' : 'Try again'}
      </Button>
    </form>
  )
}

function filesProblemOf(collection: Collection | null): string | null {
  if (collection === null) return 'Choose a folder, a zip or a tar first.'
  return collection.problem === null ? null : 'These files cannot be published. Choose others.'
}

const nameRule = 'Letters, digits and dashes'
