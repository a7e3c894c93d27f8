import type { AnswerTo } from '#api/contract/client.ts'
import { ignoreFileName } from '#site/upload/path-rules.ts'
import { ApiError, addressOf, errorSentence } from '#web/server/api.ts'
import { archiveOf, type PickedFile, sharedFolder } from './collect-files.ts'

interface Upload {
  readonly siteName: string
  readonly files: readonly PickedFile[]
  readonly onProgress: (sentBytes: number, totalBytes: number) => void
  /** Aborting ends an upload that has not left whole; the promise rejects with the signal's reason. */
  readonly signal: AbortSignal
  readonly request?: XMLHttpRequest
}

/**
 * Sends a folder or an archive and answers with the id of the job that stores it, also after `signal` was aborted: what has
 * left whole may be a job by then, which only its id can cancel. Throws ApiError.
 */
// XMLHttpRequest, because fetch does not tell how much of a body has left.
export function uploadFiles(upload: Upload): Promise<string> {
  const { siteName, files, onProgress, signal, request = new XMLHttpRequest() } = upload
  return new Promise((resolve, reject) => {
    let allSent = false
    request.responseType = 'json'
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total)
    request.upload.onload = () => {
      allSent = true
    }
    request.onload = () => {
      const { status } = request
      // Whatever stands between may answer in its place, so it may be anything else, or null.
      const response: Answer | null = request.response
      if (status < 300 && response && 'jobId' in response) resolve(response.jobId)
      else reject(new ApiError(status, errorSentence(response, status)))
    }
    request.onerror = () => reject(new ApiError(null, allSent ? brokenAfter : brokenOff))
    request.onabort = () => reject(signal.reason)
    const abort = () => {
      if (!allSent) request.abort()
    }
    signal.addEventListener('abort', abort, { once: true })
    const { method, path } = addressOf('POST /sitehost/upload-files', {})
    request.open(method, path)
    request.send(uploadForm(siteName, files))
  })
}

type Answer = AnswerTo<'POST /sitehost/upload-files'>

/**
 * The name comes first: the server refuses by it before it reads a single file. Then the rules of what
 * is left out, so that nothing of that is stored on the way.
 */
export function uploadForm(siteName: string, files: readonly PickedFile[]): FormData {
  const form = new FormData()
  form.append('siteName', siteName)
  const archive = archiveOf(files)
  if (archive !== null) {
    form.append('archive', archive.file, archive.path)
    return form
  }
  const folder = sharedFolder(files)
  const rules = folder === '' ? ignoreFileName : `${folder}/${ignoreFileName}`
  const rulesFirst = files.toSorted((a, b) => Number(b.path === rules) - Number(a.path === rules))
  for (const { path, file } of rulesFirst) form.append('files', file, path)
  return form
}

const brokenOff = 'The connection broke off. Nothing was published; try again.'
const brokenAfter =
  'The connection broke off after the last file. Your site may be published all the same: look at it before you try again.'
