import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSite, type SiteOptions } from '#cli/account/own-sites.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { explained } from '#cli/explained.ts'
import { readSettings, writeSettings } from '#publish/site-settings.ts'
import { editorOf, runEditor } from './run-editor.ts'
import { parseEdited, textOf } from './settings-text.ts'

/**
 * Opens the settings of a site in the person's editor, and writes them when they are valid. A mistake is shown above the text,
 * which is opened again; what was typed is deleted only once it is written. Throws CommandError.
 */
export async function editSettings(options: SiteOptions, context: CommandContext): Promise<void> {
  const { console, signal } = context
  const editor = editorOf(context.editor, console.isInteractive)
  const { address, parts } = await openSite(options, context)
  const { name } = address
  const stored = await explained(signal, { doing: 'reading' }, () => readSettings(name, parts))
  const text = textOf(stored.record)
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-settings-'))
  const file = join(dir, `${name.replaceAll(/[^\w.-]/g, '_')}.json`)
  const keptAt = (lines: string | readonly string[], cause?: unknown) =>
    new CommandError([...[lines].flat(), `What you typed is in ${file}.`], { cause })
  await writeFile(file, text, { mode: 0o600, flag: 'wx' })
  for (;;) {
    await runEditor(editor, file, signal)
    const edited = await readFile(file, 'utf8')
    const parsed = parseEdited(edited, stored.record)
    if (parsed.kind === 'unchanged') {
      await rm(dir, { recursive: true })
      console.note('Nothing was changed.')
      return
    }
    if (parsed.kind === 'valid') {
      const work = () => writeSettings(name, parsed.settings, parts, (cid) => cid === stored.cid)
      const written = await explained(signal, { doing: 'changing' }, work).catch((error) => {
        signal.throwIfAborted()
        throw error instanceof CommandError ? keptAt(error.lines, error) : error
      })
      if (written === null) throw keptAt(`There is no site ${name}.`)
      await rm(dir, { recursive: true })
      if (options.json) console.say(JSON.stringify({ site: name, ...written }))
      else console.say(`The settings of ${name} are written: ${written.uri}`)
      return
    }
    console.fail(`${parsed.problem}.`)
    if (!console.isInteractive) throw keptAt('Nothing was changed.')
    const answer = await console.ask('Edit it again? [Y/n] ', signal)
    if (/^n(o)?$/i.test(answer)) throw keptAt('Nothing was changed.')
  }
}
