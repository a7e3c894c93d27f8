import { type PickedFile, pickedOf } from '#web/publish/files/picked-file.ts'
import blog from './blog.html.txt'
import links from './links.html.txt'
import post from './post.html.txt'
import soon from './soon.html.txt'
import style from './style.css.txt'

export const starterKinds = ['links', 'blog', 'soon'] as const
export type StarterKind = (typeof starterKinds)[number]

/** What a person says about themselves. */
export interface StarterFacts {
  readonly name: string
  readonly handle: string
  readonly about: string
  readonly picture: File | null
  readonly locale: string
  /** `2026-05-30` */
  readonly date: string
}

const pages: Record<StarterKind, Readonly<Record<string, string>>> = {
  links: { 'index.html': links },
  blog: { 'index.html': blog, 'posts/hello.html': post },
  soon: { 'index.html': soon },
}

/** A small site, ready to be published: the same files as those of a folder. */
export function starterFiles(kind: StarterKind, facts: StarterFacts): PickedFile[] {
  const { picture } = facts
  const pictureName = picture === null ? null : `picture.${endingOf(picture)}`
  const fill = (template: string) => filled(template, facts, pictureName)
  const texts = { ...mapped(pages[kind], fill), 'style.css': style }
  const folder = folderNames[kind]
  return [
    ...Object.entries(texts).map(([path, text]) => pickedOf(`${folder}/${path}`, new Blob([text]))),
    ...(picture === null ? [] : [pickedOf(`${folder}/${pictureName}`, picture)]),
  ]
}

/** They suggest the name of the site. */
const folderNames: Record<StarterKind, string> = { links: 'links', blog: 'blog', soon: 'home' }

const endingOf = ({ name }: File): string =>
  /\.([a-z]{3,4})$/i.exec(name)?.[1]?.toLowerCase() ?? 'png'

function mapped<Value>(
  values: Readonly<Record<string, Value>>,
  change: (value: Value) => Value,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
}

function filled(template: string, facts: StarterFacts, pictureName: string | null): string {
  const { name, handle, about, locale, date } = facts
  const values: Readonly<Record<string, string>> = {
    name: escaped(name),
    handle: escaped(handle),
    about: escaped(about),
    lang: escaped(locale),
    date: escaped(date),
    picture: pictureName === null ? '' : `<img src="/${pictureName}" alt="">`,
  }
  return template
    .replace(/\{\{(\w+)\}\}/g, (_, key: string) => values[key] ?? '')
    .replace(/^ +\n/gm, '')
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => entities[char] ?? char)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
