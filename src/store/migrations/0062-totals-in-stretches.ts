/** What is counted has an index in the order of a unique key, so that it can be read in stretches. */
export const totalsInStretches = (): string[] => [
  'drop index versions_live_bytes',
  `create index versions_live_bytes on versions (id, bytes) where state = 'live'`,
  'drop index certificates_by_state',
  'create index certificates_by_state on certificates (name, is_wanted, last_problem, valid_until, due_at)',
]
