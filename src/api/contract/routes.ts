import { accountRoutes } from './account.ts'
import { adminRoutes } from './admin/admin.ts'
import { adminActionRoutes } from './admin/admin-actions.ts'
import { adminListRoutes } from './admin/admin-lists.ts'
import { adminLogRoutes } from './admin/admin-log.ts'
import { adminReadRoutes } from './admin/admin-reads.ts'
import { moderationRoutes } from './admin/moderation.ts'
import { authRoutes } from './auth.ts'
import { deployRoutes } from './deploys.ts'
import { domainRoutes } from './domain.ts'
import { customDomainRoutes } from './domain-custom.ts'
import { foreignSiteRoutes } from './foreign-sites.ts'
import { foreignWebhookRoutes } from './foreign-webhooks.ts'
import { healthAndMetadataRoutes } from './health-and-metadata.ts'
import { publisherRoutes } from './publishers.ts'
import { siteRoutes } from './site.ts'
import { tokenRoutes } from './tokens.ts'
import { uploadRoutes } from './uploads.ts'
import { userRoutes } from './user.ts'
import { versionRoutes } from './versions.ts'
import { webhookRoutes } from './webhooks.ts'

/** Every route of the application, by name. Others do not exist. */
export const routes = {
  ...authRoutes,
  ...userRoutes,
  ...foreignSiteRoutes,
  ...accountRoutes,
  ...domainRoutes,
  ...customDomainRoutes,
  ...siteRoutes,
  ...versionRoutes,
  ...uploadRoutes,
  ...deployRoutes,
  ...tokenRoutes,
  ...publisherRoutes,
  ...webhookRoutes,
  ...foreignWebhookRoutes,
  ...adminRoutes,
  ...adminLogRoutes,
  ...adminReadRoutes,
  ...adminListRoutes,
  ...adminActionRoutes,
  ...moderationRoutes,
  ...healthAndMetadataRoutes,
}

export type Routes = typeof routes
