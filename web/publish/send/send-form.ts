import type { AnswerTo } from '#api/contract/client.ts'
import { siteFileName } from '#site/upload/path-rules.ts'
import { ApiError, addressOf, answeredError } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'
import type { PublishRequest, SendOptions } from './publish-request.ts'

/**
 * Sends all files in one form, for archives that only the service can open and for services without deploys. See `Send`.
 * Refuses names that a form cannot carry: browsers change them.
 */
// XMLHttpRequest, because fetch does not tell how much of a body has left.
export async function sendForm(
  request: PublishRequest,
  options: SendOptions,
  open = () => new XMLHttpRequest(),
): Promise<string> {
  const form = await formOf(request)
  const { signal, onSend } = options
  signal.throwIfAborted()
  const { files } = request
  const bytesTotal = files.reduce((sum, { bytes }) => sum + bytes, 0)
  return await new Promise((resolve, reject) => {
    const http = open()
    let allSent = false
    http.responseType = 'json'
    http.upload.onprogress = ({ loaded, total }) => {
      const share = total === 0 ? 0 : loaded / total
      onSend({
        filesTotal: files.length,
        files: Math.floor(share * files.length),
        bytesTotal,
        bytes: share * bytesTotal,
      })
    }
    http.upload.onload = () => {
      allSent = true
    }
    http.onload = () => {
      const { status } = http
      // Whatever stands between may answer in its place, so it may be anything else, or null.
      const response: Answer | null = http.response
      if (status < 300 && response && 'jobId' in response) resolve(response.jobId)
      else reject(answeredError(status, response))
    }
    http.onerror = () =>
      reject(new ApiError(null, allSent ? words.publish.brokenAfter : words.publish.brokenOff))
    http.onabort = () => reject(signal.reason)
    signal.addEventListener('abort', () => allSent || http.abort(), { once: true })
    const { method, path } = addressOf('POST /sitehost/upload-files', {})
    http.open(method, path)
    http.send(form)
  })
}

type Answer = AnswerTo<'POST /sitehost/upload-files'>

/** The name comes first: the server refuses by it before it reads a single file. */
export async function formOf(request: PublishRequest): Promise<FormData> {
  const { siteName, files, isSealed, base, settings } = request
  if (base !== undefined) throw new ApiError(null, words.publish.needsDeploys)
  const form = new FormData()
  form.append('siteName', siteName)
  const [archive] = files
  if (isSealed && archive !== undefined) {
    form.append('archive', await archive.open(), archive.path)
    return form
  }
  const changed = files.find(({ path }) => !survivesForm(path))
  if (changed !== undefined) throw new ApiError(null, words.publish.nameNotForForms(changed.path))
  if (settings !== undefined) {
    form.append('files', new Blob([JSON.stringify({ settings })]), root + siteFileName)
  }
  for (const file of files) form.append('files', await file.open(), root + file.path)
  return form
}

/** The service takes away the folder that all files share: it is to be this one. */
const root = 'site/'

/** `"` and line breaks become `%22`, `%0A` and `%0D` in a form, and nobody can tell them from names that have these. */
const survivesForm = (path: string): boolean => !/["\r\n]/.test(path)
