/** What only Node can do, apart from the rest, which browsers and edge runtimes load as well. */
export { createNodeWire } from './transport/node-wire/index.ts';
export { createPublicFetch, isPrivateHost } from './transport/public-fetch/index.ts';
