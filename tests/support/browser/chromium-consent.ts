import type { Page } from 'playwright-core'

export interface SignInOptions {
  /** Needed unless the application named the account when it sent the browser here. */
  username?: string
  password: string
  /** Deny access instead of granting it. */
  reject?: boolean
}

/**
 * Clicks through the reference PDS's own pages as a person would, from the moment the application
 * sends the browser there. Returns after the last click: wait for the application's page yourself,
 * by the start of its address, because the PDS's own has the callback in its query.
 * The pages are translated; the browser context needs `locale: 'en-US'`.
 */
export async function signInAndAuthorize(page: Page, options: SignInOptions): Promise<void> {
  const signIn = page.getByRole('button', { name: 'Sign in', exact: true })
  const authorize = page.getByRole('button', { name: 'Authorize', exact: true })
  const deny = page.getByRole('button', { name: 'Deny access', exact: true })
  const password = page.locator('input[name=password]')

  await page.waitForURL(/\/oauth\/authorize\?/)
  await password.or(authorize).or(signIn).first().waitFor()
  // A browser that is signed in gets the consent page at once.
  if (!(await authorize.isVisible())) {
    // Without a named account a welcome page comes first.
    if (!(await password.isVisible())) await signIn.click()
    await password.waitFor()
    const username = page.locator('input[name=username]')
    if (options.username && (await username.isEditable())) await username.fill(options.username)
    await password.fill(options.password)
    await signIn.click()
  }
  await (options.reject ? deny : authorize).click()
}
