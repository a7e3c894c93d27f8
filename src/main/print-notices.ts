/** What a binary contains of others, and their licences: `scripts/build-binaries.ts` puts the file in. */
export async function printNotices(): Promise<void> {
  const file = new URL('./THIRD-PARTY-NOTICES.txt', import.meta.url)
  await Bun.write(Bun.stdout, Bun.file(file))
}
