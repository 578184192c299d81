// Core is deterministic and silent. The compiler takes Node's and the DOM's names away (tsconfig.core.json); these are what
// the language itself still offers.
import { type Check, codeOnly, matches } from './files.ts';

const banned: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bDate\.now\b|\bnew Date\(\s*\)/g, 'core has no clock, take nowMs as an argument'],
  [/\bMath\.random\b/g, 'core has no chance, take a Prng as an argument'],
  [/\blocaleCompare\b|\bIntl\.|\btoLocale\w+/g, 'core knows no locale, use compareCodePoints'],
  [/\basync\b|\bawait\b|\bPromise\b/g, 'core does not wait, return an effect'],
  [/\bglobalThis\b/g, 'core sees no globals'],
];

/** Calls that core must not make. */
export const checkCore: Check = (files) =>
  files
    .filter(({ path }) => path.startsWith('src/core/') && path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap(({ path, text }) => {
      const code = { path, text: codeOnly(text) };
      return banned.flatMap(([pattern, instead]) => matches(code, pattern, 'core', instead));
    });
