import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Site } from '#api/contract/client.ts'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Select } from '#web/parts/controls/select.tsx'
import { Dialog } from '#web/parts/overlays/dialog.tsx'
import { namesQuery, refreshAddresses } from '#web/server/queries.ts'
import { useAction } from '#web/server/use-action.ts'
import { toast } from '#web/shell/toasts.ts'
import '#web/site/domains/address-modules.ts'
import { assignTo, type Unused } from '#web/site/domains/unused.ts'
import { UnusedList } from '#web/site/domains/unused-addresses.tsx'
import { nameOf, newestFirst } from '#web/site/site-facts.ts'
import { words } from '#web/words/words.ts'

/** Addresses that no site shows, under the list; nothing where there are none. */
export function UnusedAddresses({ sites }: { sites: readonly Site[] }) {
  const { data: names } = useQuery(namesQuery)
  const [chosen, setChosen] = useState<Unused | null>(null)
  const texts = words.sites.unused
  if (names === undefined) return null
  return (
    <>
      <UnusedList names={names}>
        {(each) =>
          sites.length > 0 && (
            <Button
              aria-label={texts.takeOf(each.domain)}
              look="secondary"
              onClick={() => setChosen(each)}
            >
              {texts.take}
            </Button>
          )
        }
      </UnusedList>
      {chosen !== null && (
        <UseDialog onClose={() => setChosen(null)} sites={sites} unused={chosen} />
      )}
    </>
  )
}

interface UseDialogProps {
  readonly unused: Unused
  readonly sites: readonly Site[]
  readonly onClose: () => void
}

function UseDialog({ unused, sites, onClose }: UseDialogProps) {
  const texts = words.sites.unused
  const client = useQueryClient()
  const { isBusy, problem, run } = useAction()
  const newest = sites.toSorted(newestFirst)
  const [rkey, setRkey] = useState(newest[0]?.rkey ?? '')
  const use = async (event: FormEvent) => {
    event.preventDefault()
    const isDone = await run(() => assignTo(unused, rkey))
    if (!isDone) return
    toast(texts.used(unused.domain, rkey))
    onClose()
    await refreshAddresses(client)
  }
  return (
    <Dialog isOpen onClose={onClose} title={texts.title(unused.domain)}>
      <form onSubmit={(event) => void use(event)}>
        <Select
          choices={newest.map((site) => ({ value: site.rkey, name: nameOf(site) }))}
          label={texts.site}
          onChange={(event) => setRkey(event.target.value)}
          value={rkey}
        />
        {problem !== null && <Problem>{problem}</Problem>}
        <footer>
          <Button look="secondary" onClick={onClose}>
            {words.parts.cancel}
          </Button>
          <Button isBusy={isBusy} type="submit">
            {texts.yes}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
