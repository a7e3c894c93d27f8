import { afterEach, beforeEach, expect, test } from 'bun:test'
import { chmod, cp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { keptProgram } from '#main/build-cache/kept-program.ts'

let root: string
beforeEach(async () => {
  root = join(tmpdir(), `kept program & é 100% ${crypto.randomUUID()}`)
  await write('package.json', '{}')
  await write('tsconfig.json', '{}')
  await write('node_modules/.package-lock.json', '{ "packages": {} }')
  await write(
    'src/main/program.ts',
    "import { word } from '../word.ts'; import './place.ts'; word()",
  )
  await write('src/main/ingest-thread.ts', "console.log('of the thread')")
  await write('src/main/place.ts', place)
  await write('src/word.ts', "export const word = () => console.log('first')")
})
afterEach(() => rm(root, { recursive: true }))

const place = `import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
console.log(fileURLToPath(new URL('../../web', import.meta.url)))
new Worker(new URL('./ingest-thread.ts', import.meta.url), { workerData: 1 })`

const write = (path: string, text: string) => Bun.write(join(root, path), text)

const said = async (program: string | null): Promise<string[]> => {
  const child = Bun.spawn([process.execPath, program ?? ''], { stdout: 'pipe', stderr: 'inherit' })
  return (await new Response(child.stdout).text()).trim().split('\n').sort()
}

test('is one file, whose thread is one, too, and that finds what is beside the sources', async () => {
  const program = await keptProgram(root)
  await rm(join(root, 'src'), { recursive: true })
  expect(await said(program)).toEqual([join(root, 'web'), 'first', 'of the thread'])
})

test('is made once of the same sources, and again of others', async () => {
  const program = (await keptProgram(root)) ?? ''
  await Bun.write(program, '1')
  expect(await keptProgram(root)).toBe(program)
  expect(await Bun.file(program).text()).toBe('1')
  await write('src/word.ts', "export const word = () => console.log('second')")
  expect(await said(await keptProgram(root))).toContain('second')
})

test('is another in another checkout that has the same packages', async () => {
  const program = await keptProgram(root)
  const other = `${root}-other`
  await cp(root, other, { recursive: true })
  await rm(join(other, 'node_modules'), { recursive: true })
  await symlink(join(root, 'node_modules'), join(other, 'node_modules'))
  expect(await said(await keptProgram(other))).toContain(join(other, 'web'))
  expect(await keptProgram(root)).toBe(program)
  await rm(other, { recursive: true })
})

test('is in the folder that systemd gives the service', async () => {
  const cache = join(root, 'cache')
  process.env['CACHE_DIRECTORY'] = cache
  const program = await keptProgram(root).finally(() => delete process.env['CACHE_DIRECTORY'])
  expect(program).toStartWith(cache)
  expect(await said(program)).toContain('first')
})

test.each(['', 'relative'])('is beside the packages where the folder is %j', async (folder) => {
  process.env['CACHE_DIRECTORY'] = folder
  const program = await keptProgram(root).finally(() => delete process.env['CACHE_DIRECTORY'])
  expect(program).toStartWith(join(root, 'node_modules'))
})

test('is made again where others could have written it', async () => {
  const program = (await keptProgram(root)) ?? ''
  for (const path of [program, dirname(program)]) {
    await Bun.write(program, '1')
    await chmod(path, 0o777)
    expect(await keptProgram(root)).toBe(program)
    expect(await said(program)).toContain('first')
  }
})

test('only the newest stay', async () => {
  for (let i = 0; i < 6; i++) {
    await write('src/word.ts', `export const word = () => console.log(${i})`)
    await keptProgram(root)
  }
  const kept = await readdir(join(root, 'node_modules/.cache/sitehost-program'))
  expect(kept).toHaveLength(4)
})

test('is none where it cannot be kept, cannot be made, or npm does not say what is installed', async () => {
  await write('node_modules/.cache', 'a file in the place of the folder')
  expect(await keptProgram(root)).toBeNull()
  await rm(join(root, 'node_modules/.cache'))
  await write('src/word.ts', 'export const')
  expect(await keptProgram(root)).toBeNull()
  await write('src/word.ts', 'export const word = () => undefined')
  await rm(join(root, 'node_modules'), { recursive: true })
  expect(await keptProgram(root)).toBeNull()
})
