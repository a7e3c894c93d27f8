export interface AccountActionsProps {
  readonly did: string
  /** Its handle, or else its DID. */
  readonly name: string
  readonly onDone: (told: string) => void
}
