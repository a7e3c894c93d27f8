import { expect, test } from 'bun:test'
import { chooseFiles } from '#web/publish/files/choose-files.ts'
import { type StarterFacts, starterFiles, starterKinds } from './starters.ts'

const facts: StarterFacts = {
  name: 'Ada & <Bob>',
  handle: 'ada.example.com',
  about: 'Says "hi"',
  picture: null,
  locale: 'en',
  date: '2026-05-30',
}

test.each([...starterKinds])('%s is a site with a start page and no gaps', async (kind) => {
  const { files, problems, startPage, folder } = await chooseFiles(starterFiles(kind, facts))
  expect(problems).toEqual([])
  expect(startPage.kind).toBe('index')
  expect(folder).not.toBe('')
  for (const file of files) expect(await (await file.open()).text()).not.toMatch(/\{\{|\}\}/)
})

test('what a person typed is text, not markup', async () => {
  const [index] = starterFiles('links', facts)
  const html = await (await index?.open())?.text()
  expect(html).toContain('<h1>Ada &amp; &lt;Bob&gt;</h1>')
  expect(html).toContain('content="Says &quot;hi&quot;"')
  expect(html).not.toContain('<img')
})

test('a picture is part of the site', async () => {
  const picture = new File(['x'], 'Me.JPG')
  const files = starterFiles('blog', { ...facts, picture })
  expect(files.map(({ path }) => path)).toContain('blog/picture.jpg')
  expect(await (await files[0]?.open())?.text()).toContain('<img src="/picture.jpg" alt="">')
})
