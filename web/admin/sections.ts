/** The pages of the navigation. */
export const sections = [
  { href: '/admin', name: 'Overview' },
  { href: '/admin/logs', name: 'Logs' },
  { href: '/admin/errors', name: 'Errors' },
  { href: '/admin/sites', name: 'Sites' },
  { href: '/admin/accounts', name: 'Accounts' },
  { href: '/admin/domains', name: 'Domains' },
  { href: '/admin/jobs', name: 'Jobs' },
  { href: '/admin/reports', name: 'Reports' },
  { href: '/admin/allow-list', name: 'Allow list' },
  { href: '/admin/invitations', name: 'Invitations' },
  { href: '/admin/audit', name: 'Audit' },
] as const
