export * as PlaceSitehostFs from "./types/place/sitehost/fs.ts";
export * as PlaceSitehostSettings from "./types/place/sitehost/settings.ts";
export * as PlaceSitehostSubfs from "./types/place/sitehost/subfs.ts";
export * as PlaceSitehostVersion from "./types/place/sitehost/version.ts";
