/** The version of this package, as in package.json. */
export async function readVersion(): Promise<string> {
  const { version } = await Bun.file(new URL('../../../package.json', import.meta.url)).json()
  return version
}
