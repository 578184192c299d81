// sprig's functions for templates: every one is there, those of `refused.ts` with an error of their own when they are called.
import { RE2JS } from 're2js';
import { failCall } from '../error.ts';
import { goJson, parseJson } from '../json.ts';
import { type GoFunction, kindOf, typeName, type Value } from '../value.ts';
import { collectionFunctions, deepEqual } from './collections.ts';
import { define, isEmpty } from './convert.ts';
import { numberFunctions } from './numbers.ts';
import { refusedFunctions } from './refused.ts';
import { semverCompare } from './semver.ts';
import { stringFunctions } from './strings.ts';

const misc: Readonly<Record<string, GoFunction>> = {
  default: define(['any', '...any'], (fallback: Value, ...given: Value[]) => (isEmpty(given[0]) ? fallback : given[0])),
  empty: define(['any'], isEmpty),
  coalesce: define(['...any'], (...values: Value[]) => values.find((value) => !isEmpty(value)) ?? null),
  all: define(['...any'], (...values: Value[]) => values.every((value) => !isEmpty(value))),
  any: define(['...any'], (...values: Value[]) => values.some((value) => !isEmpty(value))),
  ternary: define(['any', 'any', 'bool'], (yes: Value, no: Value, test: boolean) => (test ? yes : no)),
  fail: define(['string'], (message: string) => failCall(message)),
  typeOf: define(['any'], typeName),
  typeIs: define(['string', 'any'], (name: string, value: Value) => typeName(value) === name),
  typeIsLike: define(['string', 'any'], (name: string, value: Value) => [name, `*${name}`].includes(typeName(value))),
  kindOf: define(['any'], goKind),
  kindIs: define(['string', 'any'], (name: string, value: Value) => goKind(value) === name),
  deepEqual: define(['any', 'any'], deepEqual),
  toJson: define(['any'], (value: Value) => goJson(value) ?? ''),
  toPrettyJson: define(['any'], (value: Value) => goJson(value, { indent: 2 }) ?? ''),
  toRawJson: define(['any'], (value: Value) => goJson(value, { raw: true }) ?? ''),
  fromJson: define(['string'], (text: string) => parseJson(text)?.value ?? null),
  mustToJson: define(['any'], (value: Value) => goJson(value) ?? failCall('json: unsupported value')),
  mustToPrettyJson: define(
    ['any'],
    (value: Value) => goJson(value, { indent: 2 }) ?? failCall('json: unsupported value'),
  ),
  mustToRawJson: define(['any'], (value: Value) => goJson(value, { raw: true }) ?? failCall('json: unsupported value')),
  mustFromJson: define(['string'], (text: string) => (parseJson(text) ?? failCall('invalid JSON')).value),
  semverCompare: define(['string', 'string'], semverCompare),
  base: define(['string'], base),
  dir: define(['string'], dir),
  clean: define(['string'], clean),
  ext: define(['string'], (path: string) => /\.[^./]*$/.exec(path)?.[0] ?? ''),
  isAbs: define(['string'], (path: string) => path.startsWith('/')),
  osBase: define(['string'], base),
  osDir: define(['string'], dir),
  osClean: define(['string'], clean),
  osExt: define(['string'], (path: string) => /\.[^./]*$/.exec(path)?.[0] ?? ''),
  osIsAbs: define(['string'], (path: string) => path.startsWith('/')),
  env: define(['string'], () => ''),
  expandenv: define(['string'], (text: string) => text.replace(/\$(?:\w+|\{\w*\})/g, '')),
};

const patterns: Readonly<Record<string, GoFunction>> = {
  regexMatch: define(
    ['string', 'string'],
    (pattern: string, s: string) => compile(pattern)?.matcher(s).find() ?? false,
  ),
  mustRegexMatch: define(['string', 'string'], (pattern: string, s: string) => must(pattern).matcher(s).find()),
  regexFind: define(['string', 'string'], (pattern: string, s: string) => matches(pattern, s, 1)[0] ?? ''),
  mustRegexFind: define(['string', 'string'], (pattern: string, s: string) => matches(pattern, s, 1)[0] ?? ''),
  regexFindAll: define(['string', 'string', 'int'], (pattern: string, s: string, n: bigint) =>
    matches(pattern, s, Number(n)),
  ),
  mustRegexFindAll: define(['string', 'string', 'int'], (pattern: string, s: string, n: bigint) =>
    matches(pattern, s, Number(n)),
  ),
  regexReplaceAll: define(['string', 'string', 'string'], replaceAll),
  mustRegexReplaceAll: define(['string', 'string', 'string'], replaceAll),
  regexReplaceAllLiteral: define(['string', 'string', 'string'], replaceLiteral),
  mustRegexReplaceAllLiteral: define(['string', 'string', 'string'], replaceLiteral),
  regexSplit: define(['string', 'string', 'int'], regexSplit),
  mustRegexSplit: define(['string', 'string', 'int'], regexSplit),
  regexQuoteMeta: define(['string'], (s: string) => s.replace(/[\\.+*?()|[\]{}^$]/g, '\\$&')),
};

export const sprig: Readonly<Record<string, GoFunction>> = {
  ...stringFunctions,
  ...numberFunctions,
  ...collectionFunctions,
  ...misc,
  ...patterns,
  ...refusedFunctions,
};

function goKind(value: Value): string {
  const kind = kindOf(value);
  const names: Partial<Record<typeof kind, string>> = {
    invalid: 'invalid',
    nil: 'invalid',
    float: 'float64',
    list: 'slice',
    strmap: 'map',
    enum: 'int32',
  };
  return names[kind] ?? kind;
}

const cache = new Map<string, RE2JS>();
const remembered = 200;

function compile(pattern: string): RE2JS | undefined {
  const known = cache.get(pattern);
  if (known !== undefined) return known;
  try {
    const compiled = RE2JS.compile(pattern);
    if (cache.size >= remembered) cache.clear();
    cache.set(pattern, compiled);
    return compiled;
  } catch {
    return undefined;
  }
}

function must(pattern: string): RE2JS {
  return compile(pattern) ?? failCall(`regexp: Compile(\`${pattern}\`): error parsing regexp`);
}

function matches(pattern: string, s: string, limit: number): string[] {
  const matcher = must(pattern).matcher(s);
  const found: string[] = [];
  const most = limit < 0 ? Infinity : limit;
  while (found.length < most && matcher.find()) found.push(matcher.group() ?? '');
  return found;
}

/** Go's replacement text: $1, ${name}, $$. */
function replaceAll(pattern: string, s: string, replacement: string): string {
  const matcher = must(pattern).matcher(s);
  let [result, at] = ['', 0];
  while (matcher.find()) {
    result += s.slice(at, matcher.start()) + expand(replacement, (group) => groupText(matcher, group));
    at = matcher.end();
  }
  return result + s.slice(at);
}

type Matcher = ReturnType<RE2JS['matcher']>;

function groupText(matcher: Matcher, group: string): string {
  try {
    return (/^\d+$/.test(group) ? matcher.group(Number(group)) : matcher.group(group)) ?? '';
  } catch {
    return '';
  }
}

function expand(replacement: string, group: (name: string) => string): string {
  return replacement.replace(
    /\$(?:\$|\{(\w+)\}|(\w+))/g,
    (all, braced: string | undefined, bare: string | undefined) => {
      return all === '$$' ? '$' : group(braced ?? bare ?? '');
    },
  );
}

function replaceLiteral(pattern: string, s: string, replacement: string): string {
  return replaceAll(pattern, s, replacement.replaceAll('$', '$$$$'));
}

function regexSplit(pattern: string, s: string, limit: bigint): Value {
  if (limit === 0n) return [];
  if (pattern !== '' && s === '') return [''];
  const matcher = must(pattern).matcher(s);
  const most = limit < 0n ? Infinity : Number(limit) - 1;
  const parts: string[] = [];
  let [from, end] = [0, 0];
  while (parts.length < most && matcher.find()) {
    end = matcher.start();
    if (matcher.end() !== 0) parts.push(s.slice(from, end));
    from = matcher.end();
  }
  if (end !== s.length) parts.push(s.slice(from));
  return parts;
}

/** Go's path.Clean. */
function clean(path: string): string {
  const rooted = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (!rooted) parts.push(part);
  }
  const joined = parts.join('/');
  if (rooted) return `/${joined}`;
  return joined === '' ? '.' : joined;
}

function base(path: string): string {
  if (path === '') return '.';
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' ? '/' : (trimmed.split('/').at(-1) ?? '');
}

function dir(path: string): string {
  return clean(path.slice(0, path.lastIndexOf('/') + 1));
}
