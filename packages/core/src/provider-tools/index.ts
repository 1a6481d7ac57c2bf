export { citationsOf } from './citations.ts';
export * from './sources.ts';
export * from './types.ts';
export { accompaniesText, areOneUse, asOneUse, placedUses, providerToolsOf, type PlacedUse } from './uses.ts';
