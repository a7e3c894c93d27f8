// Not DATA_DIR: that is for the real network.
export const demoDataDir = '.sitehost/demo'
export const devDataDir = '.sitehost/dev'
