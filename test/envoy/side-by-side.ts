// Tests that mostly wait (for drains, retries, renewals) and share nothing: several at once, in no order. A test that computes for long, measures,
// or changes what others use is not for it: that stays with `test` of node:test.
import { describe, type TestContext, test } from 'node:test';

/** So many keep two cores busy, and leave each enough of them. */
const atOnce = 4;

type Register = (what: string, options: { readonly timeout: number }, body: (t: TestContext) => Promise<void>) => void;

/** Gives what registers a test of this group; all are registered while their file is loaded. */
export function sideBySide(group: string): Register {
  const tests: Parameters<Register>[] = [];
  void describe(group, { concurrency: atOnce }, async () => {
    await Promise.resolve(); // now the file is loaded
    for (const [what, options, body] of tests) void test(what, options, body);
  });
  return (...given) => void tests.push(given);
}
