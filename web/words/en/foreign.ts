export const foreign = {
  title: (network: string) => `On ${network}`,
  text: 'These sites are shown here as they are there. Bring one over to change it here: its files stay where they are, and nothing is uploaded.',
  bring: 'Bring it over',
  bringOf: (site: string) => `Bring it over: ${site}`,
  here: (site: string) => `Here as ${site}`,
  done: (site: string) => `${site} is one of your sites now.`,
  name: 'Site name',
  nameTaken: (site: string) => `You have a site named ${site} already. Choose another name.`,
  taken: (site: string) => `You have a site named ${site} already.`,
}
