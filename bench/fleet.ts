// Inputs of the plan benchmark: a mix of plain names, prefixes, suffixes and real expressions, as platform teams write them.
import { prng } from '../src/core/std/prng.ts';

const teams = [
  'pay',
  'shop',
  'search',
  'maps',
  'trips',
  'host',
  'risk',
  'data',
  'ml',
  'infra',
  'auth',
  'mail',
  'media',
  'chat',
  'geo',
];
const stages = ['staging', 'dev', 'canary', 'eu', 'us', 'apac', 'batch', 'jobs'];

/** 10,000 namespaces: team-service-number, some with a stage behind. */
export function namespaces(count: number): string[] {
  const draw = prng('namespaces');
  return Array.from({ length: count }, (_, index) => {
    const stage = draw.next() < 0.4 ? `-${pick(stages, draw.next())}` : '';
    return `${pick(teams, draw.next())}-svc${index % 400}-${index}${stage}`;
  });
}

/** rollouts.yml with so many patterns, of distinct lengths or disjoint, and a default; `share` is what the newer one gets. */
export function rollouts(count: number, share: number): string {
  const draw = prng(`patterns ${count}`);
  const shapes: readonly ((index: number) => string)[] = [
    (index) => `${pick(teams, draw.next())}-svc${index % 400}-${index}`,
    (index) => `${pick(teams, draw.next())}-svc${index}-.*`,
    (index) => `.*-${index}-${pick(stages, draw.next())}`,
    (index) => `(${pick(teams, draw.next())}|${pick(teams, draw.next())})-svc[0-9]+-${index}[0-9]-(eu|us)`,
    (index) => `[a-z]+-svc${index % 97}[0-9]?-[0-9]{3,5}(-${pick(stages, draw.next())})?x{${index % 9}}`,
  ];
  const keys = new Set(Array.from({ length: count }, (_, index) => shapes[index % shapes.length]?.(index) ?? ''));
  const lines = Array.from(keys, (key) => `${JSON.stringify(key)}: {1-24-5: ${100 - share}, 1-25-2: ${share}}\n`);
  return `production: {1-24-5: ${100 - share}, 1-25-2: ${share}}\n${lines.join('')}`;
}

function pick(items: readonly string[], chance: number): string {
  return items[Math.floor(chance * items.length)] ?? '';
}
