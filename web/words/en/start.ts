export const start = {
  title: 'Your website. Your account. Live in seconds.',
  signIn: {
    label: 'Your handle',
    hint: 'Your Bluesky or AT Protocol handle, like alice.bsky.social',
    submit: 'Sign in',
    leaving: 'Asking your server…',
    failed: 'Signing in did not work. Try again.',
  },
  /** By what the address of the page says: `news`, or `error` and `reason`. */
  news: {
    left: 'Your data here is deleted.',
    invited: 'You are invited. Sign in with your account to accept.',
    signed_out: 'Your sign-in has ended. Sign in again.',
    sign_in: 'Sign in to continue.',
  },
  problems: {
    auth_failed:
      'Signing in did not work. Try again, and allow all that Sitehost asks for; if you pressed “Deny access”, nothing was changed.',
    too_many:
      'Too many sign-ins from your network. Try again in a few seconds; nothing was changed.',
    not_allowed:
      'This service is not open to everybody, and your account is not on its list. Ask its operator for an invitation; nothing was stored.',
    invitation_over:
      'That invitation has been used, or its time is over. Ask whoever sent it for another one.',
    missing_handle: 'Enter your handle or your server’s address.',
  },
}
