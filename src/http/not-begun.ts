/**
 * Of a refusal: Sitehost has done nothing for the request, so that it may be sent again even if its method is POST. `Retry-After`
 * says when, not that: the answer to a request that was carried out may have been lost.
 */
export const notBegun = { 'x-sitehost-not-begun': '1' } as const
