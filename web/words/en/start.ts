export const start = {
  title: 'Your website. Your account. Live in seconds.',
  lines: ['Your website. Your account.', 'Live in seconds.'],
  tab: 'Put a folder online',
  lead: 'Drop a folder to put it online. The files live in your own AT Protocol account, so you can take them to any other host.',
  noSite: 'No site yet?',
  fromTemplate: 'Start from a template',
  signIn: {
    label: 'Your handle',
    hint: 'Your Bluesky or AT Protocol handle, like alice.bsky.social',
    submit: 'Sign in',
    submitAndPublish: 'Sign in and publish',
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
  /** In documents of pages that are drawn by a script. */
  withoutScript: {
    title: 'Sign in',
    label: 'Your handle',
    submit: 'Sign in',
    text: 'Publishing a folder needs JavaScript.',
  },
  tooOld:
    'This browser is too old to publish from this page. You can still sign in; update it to use the page.',
  kept: 'What you chose stays in this browser until you are back.',
  account: {
    title: 'No account? Get one',
    text: 'Any Bluesky account works. It is free, and you can move it to another server later, with your sites.',
    get: 'Create an account at bsky.social',
    back: 'You come back here afterwards. What you chose is kept in this browser.',
    own: 'You can also enter the address of another server above.',
  },
  facts: [
    {
      title: 'You own it',
      text: 'Your account holds the files and signs them. Any other host can serve them too.',
    },
    {
      title: 'Updates are all or nothing',
      text: 'Visitors see the whole new version, or still the old one.',
    },
  ],
  onlySites: {
    title: 'We only touch your sites',
    text: (service: string) =>
      `You sign in at your own server. ${service} can write your sites, not your posts.`,
  },
  sample: {
    label: 'A sample site and the record it came from',
    address: 'notes.alice.example',
    title: 'Notes from a small garden',
    text: 'What grows, what doesn’t, and what the snails think of it.',
    posts: ['Tomatoes on a north balcony', 'A pond the size of a bucket', 'Seeds worth keeping'],
    verified: 'Signature verified',
  },
  starter: {
    title: 'Start from a template',
    kinds: {
      links: { title: 'Link page', text: 'You, and where to find you' },
      blog: { title: 'Blog', text: 'A front page and a first post' },
      soon: { title: 'Coming soon', text: 'One line until there is more' },
    },
    name: 'Title',
    namePlaceholder: 'Alice',
    about: 'One line about it',
    abouts: {
      links: 'Everywhere you can find me.',
      blog: 'Notes on things I make.',
      soon: 'Something is on its way.',
    },
    handle: 'Your handle',
    picture: 'Picture',
    use: 'Use this template',
    missing: 'Give it a title.',
  },
}
