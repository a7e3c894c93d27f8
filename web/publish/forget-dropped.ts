/** What was dropped and not published goes with the account. Never throws. */
export async function forgetDropped(): Promise<void> {
  const kept = await import('./files/kept-drop.ts').catch(() => null)
  await kept?.keptDrops.clear()
}
