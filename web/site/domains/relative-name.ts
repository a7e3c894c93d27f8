/**
 * A record's name as most DNS providers want it: without the zone, `@` for the zone itself. Names outside the zone stay
 * whole.
 */
export function relativeName(name: string, zone: string): string {
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
}
