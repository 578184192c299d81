// A test that is left out, or that runs alone, is a defect.
import { type Check, codeOnly, matches } from './files.ts';

/** `.only`, `.skip`, `.todo` and their options in test files. */
export const checkTests: Check = (files) =>
  files
    .filter(({ path }) => path.endsWith('.test.ts') || path.startsWith('test/'))
    .filter(({ path }) => path.endsWith('.ts'))
    .flatMap(({ path, text }) =>
      matches(
        { path, text: codeOnly(text) },
        /\b(?:test|it|describe|suite|t)\.(?:only|skip|todo)\b|\b(?:only|skip|todo): *true\b|\.skip\(/g,
        'test',
        'every test runs',
      ),
    );
