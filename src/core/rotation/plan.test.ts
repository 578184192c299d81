import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Authority, nextStep, type Policy, type Step } from './plan.ts';

const policy: Policy = { rootLifeMs: 900, leafLifeMs: 90, settleMs: 10 };
const root = { fromMs: 0, untilMs: 900 };
const leaf = { fromMs: 0, untilMs: 90, signedBy: 'root', namesFit: true } as const;
const announced = true;

const rows: readonly (readonly [name: string, authority: Authority, nowMs: number, step: Step | undefined])[] = [
  ['nothing there', { announced }, 0, 'make-root'],
  ['a root alone', { root, announced }, 0, 'issue-leaf'],
  ['all is well', { root, leaf, announced }, 59, undefined],
  ['a worn leaf', { root, leaf, announced }, 60, 'issue-leaf'],
  ['a leaf for other names', { root, leaf: { ...leaf, namesFit: false }, announced }, 1, 'issue-leaf'],
  ['a leaf of somebody else', { root, leaf: { ...leaf, signedBy: 'unknown' }, announced }, 1, 'issue-leaf'],
  ['a worn root', { root, leaf: { ...leaf, fromMs: 590, untilMs: 680 }, announced }, 600, 'make-next'],
  [
    'a next root that not everybody knows',
    { root, next: { fromMs: 600, untilMs: 1500 }, leaf: { ...leaf, fromMs: 590, untilMs: 680 }, announced: false },
    640,
    undefined,
  ],
  [
    'a next root that is fresh',
    { root, next: { fromMs: 600, untilMs: 1500 }, leaf: { ...leaf, fromMs: 590, untilMs: 680 }, announced },
    609,
    undefined,
  ],
  [
    'a next root that everybody knows',
    { root, next: { fromMs: 600, untilMs: 1500 }, leaf: { ...leaf, fromMs: 590, untilMs: 680 }, announced },
    610,
    'promote-next',
  ],
  [
    'a leaf of the root before',
    { root, previous: root, leaf: { ...leaf, signedBy: 'previous' }, announced },
    1,
    'issue-leaf',
  ],
  ['a previous root that a served leaf may still need', { root, previous: root, leaf, announced }, 9, undefined],
  ['a previous root that nobody needs', { root, previous: root, leaf, announced }, 10, 'drop-previous'],
  ['a root that ended: everything was asleep', { root, leaf, announced }, 900, 'make-root'],
];
for (const [name, authority, nowMs, step] of rows)
  test(`${name}: ${step}`, () => assert.equal(nextStep(authority, policy, nowMs), step));

test('for many lives, whatever is served can be checked by everybody, even a while late', () => {
  let authority: Authority = { announced: true };
  const trusted: { readonly atMs: number; readonly roots: ReadonlySet<number> }[] = [];
  const served: { readonly atMs: number; readonly by: number }[] = [];
  let rootsMade = 0;
  for (let nowMs = 0; nowMs < 20_000; nowMs++) {
    for (let step = nextStep(authority, policy, nowMs); step !== undefined; step = nextStep(authority, policy, nowMs)) {
      if (step === 'make-root' || step === 'make-next') rootsMade++;
      authority = perform(authority, step, nowMs);
    }
    const roots = [authority.previous, authority.root, authority.next].flatMap((each) => each?.fromMs ?? []);
    trusted.push({ atMs: nowMs, roots: new Set(roots) });
    served.push({ atMs: nowMs, by: authority.root?.fromMs ?? -1 });
    assert.ok((authority.leaf?.untilMs ?? 0) > nowMs && (authority.root?.untilMs ?? 0) > nowMs);
  }
  assert.ok(rootsMade > 20);
  for (const { atMs, by } of served)
    for (const late of [0, policy.settleMs - 1]) {
      // Who checks may know what was true up to a settle time ago; who serves likewise.
      assert.ok(trusted[Math.max(0, atMs - late)]?.roots.has(by), `served at ${atMs}, trusted ${late} before`);
      const later = trusted[atMs + late];
      assert.ok(later === undefined || later.roots.has(by), `served at ${atMs}, checked ${late} later`);
    }
});

function perform(
  { root: old, next, previous, leaf: last, announced: told }: Authority,
  step: Step,
  nowMs: number,
): Authority {
  const life = { fromMs: nowMs, untilMs: nowMs + policy.rootLifeMs };
  const parts = {
    ...(old && { root: old }),
    ...(next && { next }),
    ...(previous && { previous }),
    ...(last && { leaf: last }),
    announced: told,
  };
  switch (step) {
    case 'make-root':
      return { root: life, announced: true };
    case 'make-next':
      return { ...parts, next: life };
    case 'promote-next': {
      assert.ok(next !== undefined && old !== undefined && last !== undefined);
      return { root: next, previous: old, leaf: { ...last, signedBy: 'previous' }, announced: true };
    }
    case 'issue-leaf':
      return {
        ...parts,
        leaf: { fromMs: nowMs, untilMs: nowMs + policy.leafLifeMs, signedBy: 'root', namesFit: true },
      };
    case 'drop-previous':
      return { ...(old && { root: old }), ...(next && { next }), ...(last && { leaf: last }), announced: told };
  }
}
