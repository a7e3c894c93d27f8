export const onboarding = {
  tab: 'New site',
  steps: ['Folder', 'Address', 'Live'],
  titles: ['Put a site online', 'Choose an address', 'Your site is online'],
  texts: [
    'Drop the folder that holds your website. It is stored in your account and gets an address at once.',
    'Visitors open the site at its address. The name is for you: you see it in the list of your sites.',
    'Share the address, use your own domain, or change the site and publish again.',
  ],
  addressHint:
    'Without one, the site gets a permanent address. You can choose another at any time.',
  notAtAddress: 'Your site is live, but not at the address you chose.',
  chooseAnother: 'Choose another address',
  publishing: ['Putting it online', 'You can look at your other sites meanwhile.'],
  update: (site: string) => `Update ${site}`,
  updateText: 'Drop the new version of the site. Visitors see it whole, or still the old one.',
  formTitle: 'New site',
  toSites: 'Go to your sites',
}
