// Random manifests in many styles of YAML, for laws: a seed gives a text. What the styles have in common is a Deployment whose template's
// labels may be anything that a file in the field might hold.
import { type Prng, prng } from '../../../src/core/std/prng.ts';

type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

interface Style {
  readonly random: Prng;
  readonly newline: string;
  readonly step: number;
  /** JSON for everything. */
  readonly json: boolean;
}

/** The text of one manifest. */
export function randomManifest(seed: number): string {
  const random = prng(`manifest/${seed}`);
  const style: Style = {
    random,
    newline: chance(random, 0.2) ? '\r\n' : '\n',
    step: pick(random, [2, 2, 2, 4, 3]),
    json: chance(random, 0.1),
  };
  const value = deployment(random);
  if (style.json) return JSON.stringify(value, null, pick(random, [0, 2, '\t'])) + (chance(random, 0.5) ? '\n' : '');
  const body = blockMap(value, 0, style).join(style.newline);
  const text = `${chance(random, 0.2) ? `# a comment: {{ not a template }}${style.newline}` : ''}${body}`;
  return chance(random, 0.8) ? text + style.newline : text;
}

function deployment(random: Prng): { readonly [key: string]: Value } {
  const labels: Value = chance(random, 0.1) ? null : chance(random, 0.1) ? {} : mapOf(random, 1 + int(random, 3));
  const withLabel =
    chance(random, 0.15) && labels !== null ? { ...(labels as object), 'istio.io/rev': '1-22-0' } : labels;
  const metadata = {
    ...(chance(random, 0.5) ? { annotations: mapOf(random, 2) } : {}),
    ...(chance(random, 0.8) ? { labels: withLabel } : {}),
  };
  const template = {
    ...(chance(random, 0.9) ? { metadata } : {}),
    spec: { containers: [{ name: 'app', args: list(random), ...mapOf(random, 2) }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', labels: mapOf(random, int(random, 3)) },
    spec: { replicas: int(random, 5), template: chance(random, 0.5) ? template : reversed(template) },
  };
}

function reversed(value: { readonly [key: string]: Value }): { readonly [key: string]: Value } {
  return Object.fromEntries(Object.entries(value).toReversed());
}

function mapOf(random: Prng, size: number): { readonly [key: string]: Value } {
  const keys = ['app', 'app.kubernetes.io/name', 'tier', 'on', 'x-y', '1', 'größe', 'a b', 'key#1', "it's"];
  return Object.fromEntries(Array.from({ length: size }, () => [pick(random, keys), scalar(random)]));
}

function list(random: Prng): readonly Value[] {
  return Array.from({ length: int(random, 4) }, () =>
    chance(random, 0.2) ? mapOf(random, 1 + int(random, 2)) : scalar(random),
  );
}

const texts = [
  'web',
  'yes',
  '1.10',
  '0x1F',
  '',
  ' lead',
  'a: b',
  'a #b',
  '- x',
  '{{ x }}',
  "it's",
  '"q"',
  'ünï 🚀',
  'two\nlines\n',
  'x\ny',
  '---',
  '--- z',
  'null',
  '~',
  'http://x:80/y',
  'a\\b',
  '*x',
  '&x',
  '!x',
  '%x',
  '@x',
  '`x',
] as const;

function scalar(random: Prng): Value {
  return chance(random, 0.15) ? pick(random, [1, 0.5, true, null, 12345678901]) : pick(random, texts);
}

function blockMap(value: { readonly [key: string]: Value }, column: number, style: Style): string[] {
  return Object.entries(value).flatMap(([key, inner]) => [
    ...noise(column, style),
    ...entry(key, inner, column, style),
  ]);
}

function entry(key: string, value: Value, column: number, style: Style): string[] {
  const { random } = style;
  const head = `${' '.repeat(column)}${keyText(key, random)}${chance(random, 0.05) ? ' ' : ''}:`;
  const tail = chance(random, 0.1) ? ' # note' : '';
  if (typeof value === 'string' && value.includes('\n') && chance(random, 0.7))
    return literal(head, value, column + style.step);
  if (typeof value !== 'object' || value === null) return [`${head}${scalarTail(value, random)}${tail}`];
  const empty = Object.keys(value).length === 0;
  if (empty || chance(random, 0.25)) return [`${head} ${flow(value, column, style)}${tail}`];
  if (Array.isArray(value))
    return [
      `${head}${tail}`,
      ...blockSeq(value as readonly Value[], column + (chance(random, 0.5) ? style.step : 0), style),
    ];
  return [`${head}${tail}`, ...blockMap(value as { readonly [key: string]: Value }, column + style.step, style)];
}

function blockSeq(items: readonly Value[], column: number, style: Style): string[] {
  return items.flatMap((item) => {
    const dash = `${' '.repeat(column)}- `;
    if (typeof item !== 'object' || item === null) return [dash + quoted(item, style.random)];
    if (Object.keys(item).length === 0 || Array.isArray(item)) return [dash + flow(item, column, style)];
    const lines = blockMap(item as { readonly [key: string]: Value }, column + 2, {
      ...style,
      random: calm(style.random),
    });
    return [dash + (lines[0] ?? '').trimStart(), ...lines.slice(1)];
  });
}

/** No noise before the first key of an item: it stands beside the dash. */
function calm(random: Prng): Prng {
  return { next: () => 0.5 + random.next() / 2, split: (name) => random.split(name) };
}

function literal(head: string, text: string, column: number): string[] {
  const lines = text.replace(/\n$/, '').split('\n');
  return [`${head} |${text.endsWith('\n') ? '' : '-'}`, ...lines.map((line) => ' '.repeat(column) + line)];
}

function flow(value: Value, column: number, style: Style): string {
  const { random } = style;
  if (typeof value !== 'object' || value === null) return quoted(value, random, true);
  const gap = chance(random, 0.15)
    ? `${style.newline}${' '.repeat(column + style.step)}`
    : chance(random, 0.3)
      ? ' '
      : '';
  const end = gap.startsWith(style.newline) ? `${style.newline}${' '.repeat(column + 1)}` : gap;
  const parts = Array.isArray(value)
    ? value.map((item: Value) => flow(item, column, style))
    : Object.entries(value).map(([key, inner]) => `${keyText(key, random)}: ${flow(inner, column, style)}`);
  const body = parts.join(`,${gap === '' ? ' ' : gap}`);
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return parts.length === 0 ? `${open}${close}` : `${open}${gap}${body}${end}${close}`;
}

function keyText(key: string, random: Prng): string {
  if (!/^[a-zA-Z][\w./-]*$/.test(key) || key === 'on') return JSON.stringify(key);
  return chance(random, 0.1) ? JSON.stringify(key) : key;
}

function scalarTail(value: string | number | boolean | null, random: Prng): string {
  return value === null && chance(random, 0.5) ? '' : ` ${quoted(value, random)}`;
}

function quoted(value: string | number | boolean | null, random: Prng, inFlow = false): string {
  if (typeof value !== 'string') return value === null ? pick(random, ['null', '~']) : String(value);
  if (/^[a-z][a-z0-9/.]*$/.test(value) && value !== 'null' && value !== 'yes' && chance(random, 0.7)) return value;
  if (value === 'http://x:80/y' && !inFlow && chance(random, 0.5)) return value;
  return !value.includes('\n') && chance(random, 0.3) ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value);
}

function noise(column: number, { random }: Style): string[] {
  if (chance(random, 0.05)) return [''];
  return chance(random, 0.05) ? [`${' '.repeat(column)}# {{ comment }}: x`] : [];
}

function chance(random: Prng, probability: number): boolean {
  return random.next() < probability;
}

function int(random: Prng, below: number): number {
  return Math.floor(random.next() * below);
}

function pick<T>(random: Prng, items: readonly [T, ...T[]] | readonly T[]): T {
  return items[int(random, items.length)] as T;
}
