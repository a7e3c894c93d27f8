/** For work that repeats every few seconds or hours, and would read whole tables. */
export const upkeepByIndex = (): string[] => [
  // Pages of names, without their certificates.
  'create index certificates_by_wanted on certificates (is_wanted, name)',
  'create index sites_removed on sites (updated_at) where removed_rev is not null',
]
