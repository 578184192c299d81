// The door: which rules lead traffic through the proxy, and how to get there from what a machine has.
export { canonicalRule } from './canonical.ts';
export { type Change, cleanRules, completeRules, holdsInterception, reconcileRules } from './change.ts';
export { type Family, type InterceptConfig, type InterceptFlags, interceptConfig } from './config.ts';
export { nftRemoval, nftRule, nftRules, nftTablesIn, nftText } from './nft.ts';
export { interceptRules, type Rule, type Ruleset } from './rules.ts';
export { parseSaved } from './save.ts';
