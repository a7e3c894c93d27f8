/** The states that have to be in the gallery. */
export const required: readonly string[] = [
  ...namesOf('start', 'empty', 'dropped', 'error', 'denied', 'too-many-files', 'signed-out'),
  ...namesOf('onboarding', '1', '2', 'address', '3'),
  ...namesOf('list', '0', '1', '2', '50', 'loading', 'failed', 'stale'),
  ...namesOf('list', 'foreign', 'foreign-name'),
  ...namesOf('site', 'fine', 'problems', 'waiting', 'refused', 'offline', 'taken-offline'),
  ...namesOf('publish', 'choosing', 'refused', 'sending', 'waiting', 'storing'),
  ...namesOf('publish', 'cancelled', 'failed', 'done'),
  ...namesOf('versions', '1', '20', 'restoring'),
  ...namesOf('visits', 'none', 'some'),
  ...namesOf('files', '3', '1000', 'right-to-left', '512-characters'),
  ...namesOf('files', 'editing', 'conflict', 'explain'),
  ...namesOf('domains', 'none', 'waiting', 'one-tick', 'verified', 'warned', 'lost'),
  ...namesOf('domains', 'certificates'),
  ...namesOf('settings', 'pristine', 'dirty', 'invalid', 'saved', 'ci'),
  ...namesOf('account', 'all', 'webhooks', 'foreign-webhooks', 'deletion'),
  'not-found',
  'api-reference',
  ...namesOf('visitor', '404', '410', '451', '503', 'nothing-here', 'listing'),
]

/** Of pages that are not built yet. Whoever builds one takes its states off. The list only gets shorter. */
export const notYet: readonly string[] = []

function namesOf(page: string, ...names: readonly string[]): string[] {
  return names.map((name) => `${page}/${name}`)
}
