export const server = {
  unreachable: 'Sitehost cannot be reached. Check your connection and try again.',
  status: (status: number) => `Sitehost answered with an error (${status}). Try again.`,
  signedOut: 'Your sign-in has ended. Sign in again.',
  failed: 'That did not work. Try again.',
  unknown: 'Something went wrong. Reload the page.',
}
