import { timeText } from './time-text.ts'

/** A moment in the reader's time zone, to the second; the tooltip has it in UTC. */
export const When = ({ at }: { at: string | null }) =>
  at === null ? (
    '–'
  ) : (
    <time dateTime={at} title={at}>
      {timeText(new Date(at), new Date())}
    </time>
  )
