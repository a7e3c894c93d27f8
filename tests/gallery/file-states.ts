import { textFile } from '#tests/support/publishing/upload-files.ts'
import type { UploadFile } from '../../devnet/app-client.ts'
import type { Shown } from './scene.ts'
import { at, press, type State, see } from './state.ts'

/** A site of bob's that is there for one picture. */
const withFiles =
  (site: string, files: readonly UploadFile[], then: (shown: Shown) => Promise<unknown>) =>
  async (shown: Shown) => {
    const { bob } = shown.clients
    await bob.publish(site, files)
    shown.after(() => bob.fetch(`/api/site/${site}`, { method: 'DELETE' }))
    await at(`/sites/${site}/files`, then)(shown)
  }

const page = textFile(
  'index.html',
  '<!doctype html>\n<title>Garden</title>\n<h1>Garden</h1>\n<p>What grows on a north balcony.</p>\n',
)
const styles = textFile('style.css', 'body {\n  font-family: system-ui;\n}\n')
const rules = textFile('_redirects', '/old /index.html 301\n/plants/* /:splat 302\n')

const thousand = Array.from({ length: 1000 }, (_, n) =>
  textFile(`${n % 5 === 0 ? 'notes' : `img/${2020 + (n % 7)}`}/${n}.html`, `<p>${n}`),
)

// No name may have more than 255 bytes.
const longName = `${'a-name-that-never-ends-'.repeat(10)}here.html`
const longFolder = `${'folder-'.repeat(35)}/${'in-a-folder-'.repeat(2)}1`
const long = [page, textFile(`${longFolder}/${longName}`, '<p>Long')]

const rightToLeft = [
  page,
  textFile('مدونة/أول مقال.html', '<p>مرحبا'),
  textFile('מסמכים/קובץ 2024.txt', 'שלום'),
  textFile('🌱 plants/🌻.html', '<p>🌻'),
]

const edit = async ({ page }: Shown) => {
  await page.getByRole('link', { name: 'index.html', exact: true }).click()
  const field = page.getByLabel('Content of index.html')
  await field.waitFor()
  return field
}

export const files: readonly State[] = [
  {
    name: 'files/3',
    by: 'bob',
    show: withFiles('garden', [page, styles, rules], ({ page }) => see(page, 'style.css')),
  },
  {
    name: 'files/1000',
    by: 'bob',
    show: withFiles('archive', [page, ...thousand], async ({ page }) => {
      await page.getByRole('button', { name: 'Open folder img' }).click()
      await page.getByRole('button', { name: 'Open folder 2021' }).click()
      await see(page, '1,001 files')
    }),
  },
  {
    name: 'files/filtered',
    by: 'bob',
    show: withFiles('archive', [page, ...thousand], async ({ page }) => {
      await page.getByLabel('Filter files').fill('2023 31')
      await see(page, 'of 1,001 files')
    }),
  },
  {
    name: 'files/right-to-left',
    by: 'bob',
    show: withFiles('languages', rightToLeft, ({ page }) => see(page, '🌻.html')),
  },
  {
    name: 'files/512-characters',
    by: 'bob',
    show: withFiles('long', long, ({ page }) => see(page, longName)),
  },
  {
    name: 'files/editing',
    by: 'bob',
    show: withFiles('garden', [page, styles, rules], async (shown) => {
      await (await edit(shown)).fill('<!doctype html>\n<title>Garden</title>\n<h1>My garden</h1>\n')
      await see(shown.page, 'Not published yet')
    }),
  },
  {
    name: 'files/conflict',
    by: 'bob',
    show: withFiles('garden', [page, styles, rules], async (shown) => {
      const field = await edit(shown)
      const theirs = '<!doctype html>\n<title>Garden</title>\n<h1>Our garden</h1>\n'
      await shown.clients.bob.publish('garden', [textFile('index.html', theirs), styles, rules])
      await field.fill('<!doctype html>\n<title>Garden</title>\n<h1>My garden</h1>\n')
      await press(shown.page, 'Publish changes')
      await press(shown.page, 'Compare')
    }),
  },
  {
    name: 'files/menu',
    by: 'bob',
    show: withFiles('garden', [page, styles, rules], async ({ page }) => {
      await press(page, 'More for style.css')
      await see(page, 'Rename or move')
    }),
  },
  {
    name: 'files/explain',
    by: 'bob',
    show: withFiles('garden', [page, styles, rules], async ({ page }) => {
      await page.getByLabel('Address or path').fill('/plants/roses')
      await press(page, 'Explain address')
      await page.getByText(/^Headers \(/).click()
    }),
  },
]
