// A plan as Markdown for a pull-request comment: the answer first, long lists folded, and never longer than a comment may be.
import type { Plan } from '../../core/plan/index.ts';
import { counted } from '../../core/std/counted.ts';
import type { Problem } from '../../core/std/errors.ts';
import { visible } from '../../core/std/visible.ts';
import {
  boundSentences,
  bucketLine,
  headline,
  moveReason,
  revisionPairs,
  scaleCell,
  shareCells,
  shareHead,
  stuckCells,
  stuckHead,
} from './wording.ts';

/** The first line, by which the Action finds its own comment again. */
export const marker = '<!-- fairway plan -->';
/** GitHub refuses a comment of more than 65,536 characters. */
const maximumRows = 200;
const openRows = 10;

export function planMarkdown(plan: Plan): string {
  const moves = plan.moves.map((move) => [
    code(move.namespace),
    code(move.from ?? '-'),
    code(move.to ?? '-'),
    scaleCell(plan, move.pods),
    escape(moveReason(move)),
  ]);
  const parts = [
    marker,
    `### Fairway plan\n\n**${escape(headline(plan))}**`,
    rows(
      ['from', 'to', 'namespaces', 'pods'],
      revisionPairs(plan).map(({ from, to, namespaces, pods }) => [
        code(from),
        code(to),
        String(namespaces),
        scaleCell(plan, pods),
      ]),
    ),
    problems(plan.problems),
    folded(
      `Namespaces that move (${moves.length})`,
      rows(['namespace', 'from', 'to', 'pods', 'why'], moves),
      moves.length,
    ),
    folded(
      `Owners (${plan.totals.moving.owners.length})`,
      plan.totals.moving.owners.slice(0, maximumRows).map(code).join(', '),
      plan.totals.moving.owners.length,
    ),
    folded(
      `Workloads that do not follow by themselves (${plan.stuck.length})`,
      rows(
        stuckHead.map((head) => head.toLowerCase()),
        plan.stuck.map(stuckCells).map(([workload = '', ...rest]) => [code(workload), ...rest]),
      ),
      plan.stuck.length,
    ),
    folded('Buckets', plan.buckets.map((change) => `- ${escape(bucketLine(change))}`).join('\n'), plan.buckets.length),
    folded(
      'Asked and actual shares',
      rows(
        shareHead.map((head) => head.toLowerCase()),
        plan.shares.map((share) => shareCells(share).map(escape)),
      ),
      plan.shares.length,
    ),
    plan.somethingMoves ? `Done by ${boundSentences(plan).map(escape).join('. ')}.` : '',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function problems(all: readonly Problem[]): string {
  const lines = all
    .slice(0, maximumRows)
    .map(
      ({ severity, message, hint }) =>
        `- ${severity === 'error' ? '❌' : '⚠️'} ${escape(message)}${hint === undefined ? '' : ` — ${escape(hint)}`}`,
    );
  const more = all.length > maximumRows ? [`- … and ${all.length - maximumRows} more`] : [];
  return folded(counted(all.length, 'finding'), [...lines, ...more].join('\n'), all.length);
}

function folded(title: string, body: string, size: number): string {
  if (size === 0) return '';
  return size <= openRows
    ? `#### ${title}\n\n${body}`
    : `<details><summary>${title}</summary>\n\n${body}\n\n</details>`;
}

function rows(head: readonly string[], body: readonly (readonly string[])[]): string {
  if (body.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const more = body.length > maximumRows ? `\n\n… and ${body.length - maximumRows} more` : '';
  return [line(head), line(head.map(() => '---')), ...body.slice(0, maximumRows).map(line)].join('\n') + more;
}

/** A name or pattern in backticks; a pattern may hold pipes, and a name out of a manifest whatever would lead out of them. */
function code(text: string): string {
  const inner = visible(text).replaceAll('|', '\\|');
  if (!inner.includes('`')) return `\`${inner}\``;
  const fence = '`'.repeat(Math.max(...Array.from(inner.matchAll(/`+/g), ([run]) => run.length)) + 1);
  return `${fence} ${inner} ${fence}`;
}

function escape(text: string): string {
  return visible(text).replace(/[\\`*_{}[\]<>|#]/g, '\\$&');
}
