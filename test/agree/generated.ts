// Random templates: statements and expressions of every kind, mostly well typed, so that both success and failure are common.
import * as fc from 'fast-check';

const literal = fc.oneof(
  fc.constantFrom('1', '0', '-3', '2.5', '1e3', '"a"', '""', '`r w`', 'true', 'false', "'x'", '"é"', '"a\\nb"', '10'),
  fc.integer({ min: -50, max: 50 }).map(String),
);
const place = fc.constantFrom(
  '.name',
  '.empty',
  '.zero',
  '.one',
  '.half',
  '.count',
  '.none',
  '.yes',
  '.no',
  '.list',
  '.mixed',
  '.nothing',
  '.map',
  '.map.c',
  '.map.c.d',
  '.blank',
  '.labels',
  '.labels.app',
  '.labels.none',
  '.missing',
  '.missing.x',
  '$',
  '$.name',
  '$x',
  '$y.a',
  '.',
);
const verbs = fc.constantFrom(
  '%v',
  '%s',
  '%d',
  '%q',
  '%5v',
  '%-4s',
  '%05d',
  '%x',
  '%t',
  '%T',
  '%.2f',
  '%g',
  '%+v',
  '%#v',
  '%e',
);

const grammar = fc.letrec<{ expression: string; pipeline: string; statement: string; body: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    literal,
    place,
    tie('pipeline').map((inner) => `(${inner})`),
    tie('pipeline').map((inner) => `(${inner}).a`),
  ),
  pipeline: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    place,
    literal,
    fc
      .tuple(fc.constantFrom('len', 'not', 'print', 'html', 'js', 'urlquery', 'index', 'slice'), tie('expression'))
      .map(([f, a]) => `${f} ${a}`),
    fc
      .tuple(
        fc.constantFrom('eq', 'ne', 'lt', 'le', 'gt', 'ge', 'and', 'or', 'index', 'slice', 'print', 'println'),
        tie('expression'),
        tie('expression'),
      )
      .map(([f, a, b]) => `${f} ${a} ${b}`),
    fc
      .tuple(
        fc.constantFrom('and', 'or', 'eq', 'slice', 'index'),
        tie('expression'),
        tie('expression'),
        tie('expression'),
      )
      .map((parts) => parts.join(' ')),
    fc
      .tuple(fc.array(verbs, { minLength: 1, maxLength: 3 }), fc.array(tie('expression'), { maxLength: 3 }))
      .map(([v, args]) => {
        return `printf "${v.join('|')}" ${args.join(' ')}`;
      }),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('len', 'print', 'printf "%v"', 'not', 'html', 'index .list', 'eq 1', 'and .name', 'or 0'),
      )
      .map(([a, f]) => `${a} | ${f}`),
  ),
  statement: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('pipeline').map((p) => `{{ ${p} }}`),
    fc.constantFrom('text ', '\n', ' - ', '{{- /* c */ -}}', '{{- 1 -}}'),
    tie('pipeline').map((p) => `{{ $x := ${p} }}`),
    tie('pipeline').map((p) => `{{ $x = ${p} -}}`),
    fc.tuple(tie('pipeline'), tie('body'), tie('body')).map(([p, a, b]) => `{{ if ${p} }}${a}{{ else }}${b}{{ end }}`),
    fc
      .tuple(tie('pipeline'), tie('body'), tie('pipeline'), tie('body'))
      .map(([p, a, q, b]) => `{{ if ${p} }}${a}{{ else if ${q} -}}${b}{{ end }}`),
    fc
      .tuple(tie('pipeline'), tie('body'), tie('body'))
      .map(([p, a, b]) => `{{ with ${p} }}${a}{{ else }}${b}{{ end }}`),
    fc.tuple(tie('pipeline'), tie('body')).map(([p, a]) => `{{ with $x := ${p} }}${a}{{ $x }}{{ end }}`),
    fc
      .tuple(tie('expression'), tie('body'), tie('body'))
      .map(([p, a, b]) => `{{ range ${p} }}${a}{{ else }}${b}{{ end }}`),
    fc
      .tuple(tie('expression'), tie('body'))
      .map(([p, a]) => `{{ range $i, $x := ${p} }}{{ $i }}${a}{{ if eq $i 1 }}{{ break }}{{ end }}{{ end }}`),
    fc.tuple(tie('expression'), tie('body')).map(([p, a]) => `{{- range $x = ${p} }}${a}{{ continue }}{{ end -}}`),
    fc.tuple(tie('pipeline')).map(([p]) => `{{ template "part" ${p} }}`),
    tie('body').map((a) => `{{ block "inner" . }}${a}{{ end }}`),
  ),
  body: fc.array(tie('statement'), { maxLength: 3 }).map((parts) => parts.join('')),
}));

/** A whole template; `$x`, `$y` and the template "part" exist. */
export const template: fc.Arbitrary<string> = fc
  .array(grammar.statement, { minLength: 1, maxLength: 4 })
  .map((parts) => `{{ define "part" }}<{{ . }}>{{ end }}{{ $x := .name }}{{ $y := .map }}${parts.join('')}`);
