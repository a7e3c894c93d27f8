import { Globe } from 'lucide-react'
import { Button } from '#web/parts/controls/button.tsx'
import { Problem } from '#web/parts/controls/problem.tsx'
import { Empty } from '#web/parts/empty.tsx'
import { Notice } from '#web/parts/notice.tsx'
import { Skeleton } from '#web/parts/skeleton.tsx'
import { Status } from '#web/parts/status.tsx'
import { publishTicks, Ticks } from '#web/parts/ticks.tsx'
import { longText, Section, Specimen } from './section.tsx'

const tones = ['good', 'info', 'warn', 'danger'] as const

export function Feedback() {
  return (
    <Section title="Feedback">
      <Specimen isWide name="Notice">
        {tones.map((tone) => (
          <Notice key={tone} title={`Title of ${tone}`} tone={tone}>
            <p>What has happened, and what to do next.</p>
          </Notice>
        ))}
        <Notice action={<Button look="ghost">Try again</Button>} tone="warn">
          <p>Couldn’t refresh {longText}.</p>
        </Notice>
      </Specimen>
      <Specimen name="Problem">
        <Problem>That handle does not exist.</Problem>
      </Specimen>
      <Specimen name="Status">
        <Status state="live">Live</Status>
        <Status state="waiting">Waiting for DNS</Status>
        <Status state="warn">2 problems</Status>
        <Status state="broken">Refused</Status>
        <Status state="resting">Preview</Status>
      </Specimen>
      <Specimen isWide name="Ticks: reading, sending, failed, live">
        <Ticks ticks={publishTicks('read', { note: '312 files' })} />
        <Ticks ticks={publishTicks('send', { note: '4.2 of 9 MB' })} />
        <Ticks ticks={publishTicks('live', { hasFailed: true })} />
        <Ticks ticks={publishTicks(null)} />
        <Ticks isSmall ticks={publishTicks('send')} />
      </Specimen>
      <Specimen name="Skeleton">
        <Skeleton shape="title" />
        <Skeleton count={2} />
        <Skeleton shape="row" />
      </Specimen>
      <Specimen isWide name="Empty">
        <Empty action={<Button>New site</Button>} icon={Globe} title="No sites yet">
          <p>Drop a folder to publish your first one.</p>
        </Empty>
      </Specimen>
    </Section>
  )
}
