import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { Qr } from '#web/parts/qr.tsx'
import { words } from '#web/words/words.ts'

interface QrDialogProps {
  readonly address: URL
  readonly onClose: () => void
}

/** The address of a site for a phone. */
export default function QrDialog({ address, onClose }: QrDialogProps) {
  return (
    <Dialog isOpen onClose={onClose} title={words.site.qrTitle(address.host)}>
      <Qr address={address.href} />
      <p>{words.site.qrText}</p>
    </Dialog>
  )
}
