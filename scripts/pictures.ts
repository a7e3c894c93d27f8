// Makes the pictures in web/pictures from the pages there: `npm run pictures`.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startBrowser } from '#tests/support/browser/browser.ts'

const dir = join(import.meta.dir, '../web/pictures/')

async function picture(page: string, width: number, height: number): Promise<Buffer> {
  const opened = await browser.newPage({ viewport: { width, height } })
  await opened.goto(pathToFileURL(`${dir}${page}`).href)
  await opened.evaluate(() => document.fonts.ready.then(() => undefined))
  const png = await opened.screenshot()
  await opened.close()
  return png
}

/** A PNG as an icon file: one entry of 16 bytes behind a header of 6. */
function iconOf(png: Buffer, size: number): Buffer {
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head.writeUInt8(size, 6)
  head.writeUInt8(size, 7)
  head.writeUInt16LE(1, 10)
  head.writeUInt16LE(32, 12)
  head.writeUInt32LE(png.length, 14)
  head.writeUInt32LE(head.length, 18)
  return Buffer.concat([head, png])
}

await using browser = await startBrowser()
await Bun.write(`${dir}social-card.png`, await picture('social-card.html', 1200, 630))
await Bun.write(`${dir}apple-touch-icon.png`, await picture('icon.html', 180, 180))
await Bun.write(`${dir}icon-512.png`, await picture('icon.html', 512, 512))
await Bun.write(`${dir}favicon.ico`, iconOf(await picture('icon.html', 32, 32), 32))
