const meanings: Readonly<Record<number, string>> = {
  400: 'The request is not as it must be',
  401: 'Nobody is signed in',
  403: 'Not allowed',
  404: 'It does not exist, or is another account’s',
  408: 'It took too long to arrive',
  409: 'Not at this moment, or no longer',
  413: 'Too large',
  429: 'Too much at once',
  502: 'The account’s own server refused or did not answer',
  503: 'A database or disk of this service is away',
  507: 'The disk of this service is nearly full',
}

/** What a failure's status says wherever it is answered. Throws TypeError for one that has no meaning here yet. */
export function statusMeaning(status: number): string {
  const meaning = meanings[status]
  if (meaning === undefined) throw new TypeError(`status ${status} has no meaning here`)
  return meaning
}
