import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type GoFunction,
  GoTemplateError,
  goJson,
  goYaml,
  parseTemplate,
  readYaml,
  StringMap,
  sprig,
  type Value,
  YamlError,
} from './index.ts';

const data: Value = {
  name: 'web',
  empty: '',
  ports: [80n, 443n],
  number: 15020,
  nothing: null,
  nested: { a: { b: 'deep' } },
  labels: new StringMap({ app: 'web' }),
};

function render(text: string, functions: Readonly<Record<string, GoFunction>> = sprig): string {
  return parseTemplate(text, { name: 't', functions }).render(data);
}

const rendered: readonly (readonly [text: string, result: string])[] = [
  ['a {{- "b" -}}  c', 'abc'],
  ['{{ .name }} {{ .number }} {{ .missing }} {{ .nested.a.b }}', 'web 15020 <no value> deep'],
  ['{{ index .labels "app" }}[{{ index .labels "none" }}]', 'web[]'],
  ['{{ if .empty }}a{{ else if .name }}b{{ else }}c{{ end }}', 'b'],
  ['{{ with .nested.a }}{{ .b }}{{ $.name }}{{ end }}', 'deepweb'],
  ['{{ range $i, $p := .ports }}{{ $i }}:{{ $p }};{{ end }}', '0:80;1:443;'],
  ['{{ range .nothing }}x{{ else }}none{{ end }}{{ range 3 }}{{ . }}{{ end }}', 'none012'],
  ['{{ range .ports }}{{ if eq . 443 }}{{ break }}{{ end }}{{ . }}{{ end }}', '80'],
  ['{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}', '2'],
  ['{{ define "p" }}<{{ . }}>{{ end }}{{ template "p" .name }}', '<web>'],
  ['{{ or .empty "d" }}{{ and .name 0 }}{{ not .name }}', 'd0false'],
  ['{{ printf "%05d|%-4s|%q|%v" 42 "a" "b" .ports }}', '00042|a   |"b"|[80 443]'],
  ['{{ .empty | default "x" | quote }}{{ list 1 2 | join "," }}', '"x"1,2'],
  ['{{ 1000000.0 }} {{ 1e3 }} {{ 0x1F }}', '1e+06 1000 31'],
];
for (const [text, result] of rendered) test(`renders ${text}`, () => assert.equal(render(text), result));

const refused: readonly (readonly [text: string, message: RegExp])[] = [
  ['{{ .a', /^template: t:1: unclosed action$/],
  ['\n{{ nofunc }}', /^template: t:2: function "nofunc" not defined$/],
  ['{{ if true }}', /^template: t:1: unexpected EOF$/],
  ['{{ $x }}', /^template: t:1: undefined variable "\$x"$/],
  [
    '\n\n  {{ index .ports 9 }}',
    /^template: t:3:5: executing "t" at <index .ports 9>: error calling index: index out of range: 9$/,
  ],
  ['{{ .nothing.x }}', /nil pointer evaluating interface \{\}\.x$/],
  ['{{ fail "stop" }}', /error calling fail: stop$/],
  ['{{ trunc "x" "y" }}', /expected integer; found "x"$/],
  ['{{ 1i }}', /complex constants are not supported/],
];
for (const [text, message] of refused) {
  test(`refuses ${JSON.stringify(text)}`, () =>
    assert.throws(() => render(text), { name: 'GoTemplateError', message }));
}

test('an error knows its line', () => {
  try {
    render('a\nb\n{{ .nothing.x }}');
    assert.fail('rendered');
  } catch (error) {
    assert.ok(error instanceof GoTemplateError);
    assert.equal(error.line, 3);
  }
});

test('a run is bounded in steps, in depth and in output', () => {
  const limits = { steps: 1000, depth: 10, output: 1000 };
  const run = (text: string) => parseTemplate(text, { name: 't', limits, functions: sprig }).render(data);
  assert.throws(() => run('{{ range 10000 }}{{ end }}'), /exceeded 1000 steps/);
  assert.throws(
    () => run('{{ define "r" }}{{ template "r" }}{{ end }}{{ template "r" }}'),
    /exceeded maximum template depth \(10\)/,
  );
  assert.throws(() => run('{{ range 400 }}xxxxx{{ end }}'), /output exceeds 1000 characters/);
  assert.throws(() => run('{{ repeat 10000000 "x" }}'), /more than 4000000 characters/);
});

test('a map of the caller that is frozen cannot be changed, a copy can', () => {
  const shared: Value = { map: Object.freeze({ a: 1 }) };
  const run = (text: string) => parseTemplate(text, { name: 't', functions: sprig }).render(shared);
  assert.throws(() => run('{{ set .map "b" 2 }}'), /this map is shared/);
  assert.equal(run('{{ set (deepCopy .map) "b" 2 }}'), 'map[a:1 b:2]');
});

test("keys that are JavaScript's own are keys like others", () => {
  const keys: Value = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as Value;
  const run = (text: string) => parseTemplate(text, { name: 't', functions: sprig }).render(keys);
  assert.equal(run('{{ .__proto__.x }}{{ .constructor }}{{ .toString }}{{ hasKey . "valueOf" }}'), '12<no value>false');
  assert.equal(run('{{ dict "__proto__" 1 }}'), 'map[__proto__:1]');
});

test('JSON and YAML are written as Go writes them', () => {
  assert.equal(goJson({ b: '<&>', a: [1n, 1.5, null] }), '{"a":[1,1.5,null],"b":"\\u003c\\u0026\\u003e"}');
  assert.equal(
    goYaml({ b: ['yes', 'a: b', 'x\ny\n'], a: {}, c: 1e6 }),
    'a: {}\nb:\n- "yes"\n- \'a: b\'\n- |\n  x\n  y\nc: 1000000\n',
  );
});

const read: readonly (readonly [yaml: string, data: unknown])[] = [
  ['a: yes\nb: 010\nc: "010"\nd: ~\n', { a: true, b: 8, c: '010', d: null }],
  ['a: {\n  x: "1",\n  }\nb: [1, {c: d}]\n', { a: { x: '1' }, b: [1, { c: 'd' }] }],
  ['- a: |\n   x\n    y\n- >-\n  p\n  q\n', [{ a: 'x\n y\n' }, 'p q']],
  ['b: &x {k: v}\nm:\n  <<: *x\n', { b: { k: 'v' }, m: { k: 'v' } }],
  ['1: a\n# c\n', { '1': 'a' }],
];
for (const [yaml, value] of read) test(`reads ${JSON.stringify(yaml)}`, () => assert.deepEqual(readYaml(yaml), value));

test('YAML that is not read is refused with its line', () => {
  assert.throws(() => readYaml('a: 1\nb: c: d\n'), new YamlError('mapping values are not allowed in this context', 2));
  assert.throws(() => readYaml('a: [1\n'), { name: 'YamlError', line: 2 });
  assert.throws(() => readYaml('['.repeat(300)), /more than 200 levels/);
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...'bcdefgh'.split('').map((name, i) => `${name}: &${name} [${`*${'abcdefgh'.charAt(i)},`.repeat(9)}]`),
  ];
  assert.throws(() => readYaml(bomb.join('\n')), /more than 500000 values/);
});
