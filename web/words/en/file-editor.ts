import { plurals } from '#web/words/plural.ts'

const plural = plurals('en')

/** What only the editor of a file says. */
export const fileEditor = {
  back: 'All files',
  content: (path: string) => `Content of ${path}`,
  facts: (lines: number, bytes: string) => `${plural(lines, 'line', 'lines')}, ${bytes}`,
  encodings: {
    'utf-8': 'UTF-8',
    'utf-16le': 'UTF-16',
    'utf-16be': 'UTF-16',
    'windows-1252': 'Windows-1252',
  },
  lineEnds: { '\n': 'LF', '\r\n': 'CRLF', '\r': 'CR' },
  withMark: 'with byte order mark',
  publish: 'Publish changes',
  publishing: 'Publishing…',
  unsaved: 'Not published yet',
  unchanged: 'No changes',
  shortcut: (key: string) => `${key} publishes. Tab leaves the text.`,
  discard: 'Discard changes',
  notText: 'This file isn’t text, so it can’t be edited here.',
  tooLarge: (max: string) =>
    `Files of more than ${max} can’t be edited here. Download it, change it and publish it again.`,
  grownTooLarge: (max: string) => `At most ${max} can be edited here. Make the text shorter.`,
  noSuchCharacter:
    'This file is in Windows-1252, which lacks some of the characters you typed. Use others, or publish the file in UTF-8.',
  leaving: {
    title: 'Leave without publishing?',
    text: 'What you changed in this file is lost.',
    discard: 'Discard changes',
    stay: 'Keep editing',
  },
  conflict: {
    title: 'This file was changed meanwhile',
    text: 'Somebody published another version of it since you opened it. Nothing was published, and nothing you typed is lost.',
    gone: 'Somebody deleted it since you opened it. Nothing was published, and nothing you typed is lost.',
    compare: 'Compare',
    comparing: 'From theirs to yours',
    removed: 'theirs',
    added: 'yours',
    alike: (n: number) => `${plural(n, 'line', 'lines')} alike`,
    mine: 'Publish mine',
    theirs: 'Use theirs',
    notShown: 'Theirs isn’t text.',
  },
}
