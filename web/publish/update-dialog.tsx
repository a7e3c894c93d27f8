import { DropZone } from '#web/parts/controls/drop-zone.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { entriesOfDrop } from '#web/publish/files/dropped.ts'
import { words } from '#web/words/words.ts'
import { publishSession } from './publish-session.ts'
import { updateSite } from './update-site.ts'

interface UpdateDialogProps {
  readonly site: string
  readonly onClose: () => void
}

/** Asks for the new version of a site: a folder, a zip or files. */
export default function UpdateDialog({ site, onClose }: UpdateDialogProps) {
  const { update } = words.publish
  const take = (begin: Parameters<typeof updateSite>[1]) => {
    onClose()
    void updateSite(site, begin)
  }
  return (
    <Dialog isOpen onClose={onClose} title={update.title(site)}>
      <p>{update.text}</p>
      <DropZone
        onChoose={(files) => take(() => publishSession.takeChosen(files))}
        onDrop={(items) => {
          const entries = entriesOfDrop(items)
          take(() => publishSession.takeEntries(entries))
        }}
        title={update.zone}
      />
    </Dialog>
  )
}
