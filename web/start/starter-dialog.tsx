import { type FormEvent, useState } from 'react'
import { Button } from '#web/parts/controls/button.tsx'
import { Field, TextField } from '#web/parts/controls/field.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { publishSession } from '#web/publish/publish-session.ts'
import { type StarterKind, starterFiles, starterKinds } from '#web/starters/starters.ts'
import { words } from '#web/words/words.ts'
import styles from './starter-dialog.module.css'

interface StarterDialogProps {
  readonly onClose: () => void
  /** As far as it is known. */
  readonly handle: string
}

/** A small site for people without one, in their own words. It becomes what is chosen. */
export default function StarterDialog({ onClose, handle: known }: StarterDialogProps) {
  const { starter } = words.start
  const [kind, setKind] = useState<StarterKind>('links')
  const [name, setName] = useState('')
  const [about, setAbout] = useState<string | null>(null)
  const [handle, setHandle] = useState(known)
  const [picture, setPicture] = useState<File | null>(null)
  const [isTried, setTried] = useState(false)

  const use = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (name.trim() === '') return
    const facts = {
      name: name.trim(),
      handle: handle.trim().replace(/^@/, ''),
      about: about ?? starter.abouts[kind],
      picture,
      locale: words.locale,
      date: new Date().toISOString().slice(0, 10),
    }
    void publishSession.takeFiles(starterFiles(kind, facts))
    onClose()
  }

  return (
    <Dialog isOpen onClose={onClose} title={starter.title}>
      <form className={styles['form']} noValidate onSubmit={use}>
        <fieldset className={styles['kinds']}>
          <legend className="visually-hidden">{starter.title}</legend>
          {starterKinds.map((each) => (
            <label className={styles['kind']} key={each}>
              <input
                checked={kind === each}
                className="visually-hidden"
                name="kind"
                onChange={() => setKind(each)}
                type="radio"
              />
              <span aria-hidden="true" className={styles['picture']} data-kind={each} />
              <strong>{starter.kinds[each].title}</strong>
              <span className={styles['text']}>{starter.kinds[each].text}</span>
            </label>
          ))}
        </fieldset>
        <TextField
          label={starter.name}
          onChange={(event) => setName(event.target.value)}
          placeholder={starter.namePlaceholder}
          problem={isTried && name.trim() === '' ? starter.missing : null}
          value={name}
        />
        <TextField
          label={starter.about}
          onChange={(event) => setAbout(event.target.value)}
          value={about ?? starter.abouts[kind]}
        />
        <TextField
          label={starter.handle}
          onChange={(event) => setHandle(event.target.value)}
          value={handle}
        />
        <Field isOptional label={starter.picture}>
          {(control) => (
            <input
              {...control}
              accept="image/png,image/jpeg,image/webp,image/gif"
              onChange={(event) => setPicture(event.target.files?.[0] ?? null)}
              type="file"
            />
          )}
        </Field>
        <Button type="submit">{starter.use}</Button>
      </form>
    </Dialog>
  )
}
