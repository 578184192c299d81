import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { RE2JS } from 're2js';
import { shortestName } from './language.ts';
import { createMatcher } from './matcher.ts';
import { compilePattern, type Pattern } from './pattern.ts';

function pattern(text: string): Pattern {
  const compiled = compilePattern(text);
  assert.ok(compiled.kind === 'pattern', text);
  return compiled.pattern;
}

const sign = fc.constantFrom('a', 'b', 'c', '0', '-');
const names = fc.string({ unit: sign, maxLength: 8 });
const { expression } = fc.letrec<{ expression: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small' },
    sign,
    fc.constantFrom('.', '[ab]', '[^a]', '[a-c0-9-]', '\\w', '\\b', '\\B', '^', '$', '(?i:A)', '\\d', '(?:)'),
    tie('expression').map((inner) => `(${inner})`),
  ),
  expression: fc
    .array(fc.tuple(tie('atom'), fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{0,2}')), {
      minLength: 1,
      maxLength: 4,
    })
    .chain((parts) =>
      fc.oneof(
        fc.constant(parts.map(([atom, many]) => `(?:${atom})${many}`).join('')),
        fc.constant(parts.map(([atom]) => atom).join('|')),
      ),
    ),
}));

test('pattern: the automaton says what the engine says', () => {
  fc.assert(
    fc.property(expression, fc.array(names, { minLength: 5, maxLength: 20 }), (text, list) => {
      const engine = RE2JS.compile(text);
      const compiled = pattern(text);
      for (const name of list) assert.equal(compiled.matches(name), engine.testExact(name), `${text} on ${name}`);
    }),
    { numRuns: 400 },
  );
});

test('pattern: what is required of a match holds for every match', () => {
  fc.assert(
    fc.property(expression, names, (text, name) => {
      const { prefix, suffix, matches, mayEndLike } = pattern(text);
      assert.ok(
        !matches(name) || (name.startsWith(prefix) && name.endsWith(suffix) && mayEndLike(name)),
        `${text} on ${name}`,
      );
    }),
    { numRuns: 1000 },
  );
});

const texts = fc.oneof(
  expression,
  names.filter((name) => name !== ''),
  names.map((name) => `${name}.*`),
  names.map((name) => `.*${name}`),
);

test('matcher: finds exactly what trying every pattern finds', () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 12 }), fc.array(names, { maxLength: 10 }), (list, some) => {
      const items = list.map((text) => ({ pattern: pattern(text) }));
      const matcher = createMatcher(items);
      for (const name of some) {
        const naive = items.filter(({ pattern: { text } }) => RE2JS.compile(text).testExact(name));
        const greatest = Math.max(...naive.map((item) => item.pattern.length));
        assert.deepEqual(new Set(matcher.all(name)), new Set(naive));
        assert.deepEqual(
          matcher.longest(name),
          naive.filter((item) => item.pattern.length === greatest),
        );
      }
    }),
    { numRuns: 200 },
  );
});

const legal = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

test('shortest name: is shared, and no shorter one is', () => {
  const short = ['', 'a', 'b', 'c', '0', '-'];
  const small = short
    .flatMap((x) => short.flatMap((y) => short.map((z) => x + y + z)))
    .filter((name) => legal.test(name));
  fc.assert(
    fc.property(expression, expression, (a, b) => {
      const [first, second] = [pattern(a), pattern(b)];
      const example = shortestName([first.automaton!], [second.automaton!]);
      const shared = small.filter((name) => first.matches(name) && !second.matches(name));
      const least = Math.min(...shared.map((name) => name.length));
      if (example.kind === 'name') {
        assert.ok(legal.test(example.name) && first.matches(example.name) && !second.matches(example.name));
        assert.ok(example.name.length <= least);
      } else assert.deepEqual([example.kind, shared], ['none', []]);
    }),
    { numRuns: 300 },
  );
});
