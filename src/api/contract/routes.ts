import { accountRoutes } from './account.ts'
import { adminRoutes } from './admin.ts'
import { adminActionRoutes } from './admin-actions.ts'
import { adminListRoutes } from './admin-lists.ts'
import { adminLogRoutes } from './admin-log.ts'
import { adminReadRoutes } from './admin-reads.ts'
import { authRoutes } from './auth.ts'
import { deployRoutes } from './deploys.ts'
import { domainRoutes } from './domain.ts'
import { customDomainRoutes } from './domain-custom.ts'
import { healthAndMetadataRoutes } from './health-and-metadata.ts'
import { moderationRoutes } from './moderation.ts'
import { publisherRoutes } from './publishers.ts'
import { siteRoutes } from './site.ts'
import { tokenRoutes } from './tokens.ts'
import { uploadRoutes } from './uploads.ts'
import { userRoutes } from './user.ts'
import { versionRoutes } from './versions.ts'

/** Every route of the application, by name. Others do not exist. */
export const routes = {
  ...authRoutes,
  ...userRoutes,
  ...accountRoutes,
  ...domainRoutes,
  ...customDomainRoutes,
  ...siteRoutes,
  ...versionRoutes,
  ...uploadRoutes,
  ...deployRoutes,
  ...tokenRoutes,
  ...publisherRoutes,
  ...adminRoutes,
  ...adminLogRoutes,
  ...adminReadRoutes,
  ...adminListRoutes,
  ...adminActionRoutes,
  ...moderationRoutes,
  ...healthAndMetadataRoutes,
}

export type Routes = typeof routes
