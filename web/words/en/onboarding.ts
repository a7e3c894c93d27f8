export const onboarding = {
  tab: 'New site',
  steps: ['Folder', 'Name', 'Live'],
  titles: ['Put a site online', 'Give it a name', 'Your site is online'],
  texts: [
    'Drop the folder that holds your website. It is stored in your account and gets an address at once.',
    'The name is for you: you see it in the list of your sites. Publish, and it has an address.',
    'Pass the address on, give the site a domain of your own, or change it and publish again.',
  ],
  publishing: ['Putting it online', 'You can look at your other sites meanwhile.'],
  update: (site: string) => `Update ${site}`,
  updateText: 'Drop the new version of the site. Visitors see it whole, or still the old one.',
  formTitle: 'New site',
  toSites: 'Go to your sites',
}
