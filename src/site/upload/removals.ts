/**
 * Whether a person is asked before a publish: whoever chooses the wrong folder loses most of the site.
 * `present`: the files that the site has now.
 */
export const removesMost = (removed: number, present: number): boolean => removed * 2 > present
