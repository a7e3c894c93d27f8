import { z } from 'zod'
import { adds, confirm, given, reads, replaces, site, type Tool } from './tool.ts'

const instance = z
  .url()
  .optional()
  .describe(
    'Address of the Sitehost; else SITEHOST_URL, or what the sitehost.json of this folder names',
  )
const domain = z
  .string()
  .describe('A domain of the person, such as www.example.com, or a name that they claimed')

const listed = z.strictObject({ instance })
const claimed = z.strictObject({
  name: z.string().describe('Such as blog: the name below the domain of the Sitehost'),
  instance,
})
const added = z.strictObject({ domain: z.string().describe('Such as www.example.com'), instance })
const mapped = z.strictObject({
  domain,
  site: site.nullable().describe('Name of the site, as list_sites has it; null: no site'),
  instance,
})
const released = z.strictObject({ domain, instance, confirm })

/** Names and domains are kept by a Sitehost, at which the person is signed in. */
export const domainTools: readonly Tool[] = [
  {
    name: 'list_domains',
    title: 'List domains',
    description:
      'Lists the names and domains of the account at a Sitehost: the sites they lead to, whether they are verified, and the DNS records that they need.',
    input: listed,
    annotations: reads,
    run: async (input: z.output<typeof listed>, account, context) => {
      const { listDomains } = await import('#cli/instance/domains.ts')
      await listDomains({ ...account, ...given(input), json: true }, context)
    },
  },
  {
    name: 'claim_name',
    title: 'Claim a name',
    description: 'Claims a name below the domain of the Sitehost. It leads to no site yet.',
    input: claimed,
    annotations: adds,
    run: async ({ name, ...options }: z.output<typeof claimed>, account, context) => {
      const { claimName } = await import('#cli/instance/domains.ts')
      await claimName(name, { ...account, ...given(options), json: true }, context)
    },
  },
  {
    name: 'add_domain',
    title: 'Add a domain',
    description:
      'Adds a domain of the person at the Sitehost, and returns the DNS records that the person has to set. Then verify_domain looks for them.',
    input: added,
    annotations: adds,
    run: async ({ domain, ...options }: z.output<typeof added>, account, context) => {
      const { addDomain } = await import('#cli/instance/domains.ts')
      await addDomain(domain, { ...account, ...given(options), json: true }, context)
    },
  },
  {
    name: 'verify_domain',
    title: 'Verify a domain',
    description: 'Looks up now whether the DNS records of a domain that was added are there.',
    input: added,
    annotations: adds,
    run: async ({ domain, ...options }: z.output<typeof added>, account, context) => {
      const { verifyDomain } = await import('#cli/instance/domains.ts')
      await verifyDomain(domain, { ...account, ...given(options), json: true }, context)
    },
  },
  {
    name: 'map_domain',
    title: 'Point a domain at a site',
    description:
      'Points a name or domain at a site, or at none. Visitors of the domain get that site at once.',
    input: mapped,
    annotations: replaces,
    run: async (input: z.output<typeof mapped>, account, context) => {
      const { mapDomain } = await import('#cli/instance/domains.ts')
      const { domain, instance, site } = input
      const where = site === null ? { none: true as const } : { site }
      await mapDomain(domain, { ...account, ...given({ instance }), ...where, json: true }, context)
    },
  },
  {
    name: 'release_domain',
    title: 'Release a domain',
    description: 'Gives a name or domain up. Somebody else may claim the name then.',
    input: released,
    annotations: replaces,
    subject: (input: z.output<typeof released>) => input.domain,
    run: async (input: z.output<typeof released>, account, context) => {
      const { releaseDomain } = await import('#cli/instance/domains.ts')
      const { confirm: _, domain, ...options } = input
      await releaseDomain(domain, { ...account, ...given(options), json: true }, context)
    },
  },
]
