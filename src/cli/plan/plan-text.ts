// A plan as text for a terminal.
import type { Plan } from '../../core/plan/index.ts';
import { counted } from '../../core/std/counted.ts';
import { visible } from '../../core/std/visible.ts';
import { table } from '../print.ts';
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

const longest = 50;

export function planText(plan: Plan): string {
  const moves = plan.moves
    .slice(0, longest)
    .map((move) => [
      move.namespace,
      move.from ?? '-',
      move.to ?? '-',
      scaleCell(plan, move.workloads),
      scaleCell(plan, move.pods),
      moveReason(move),
    ]);
  const rest = plan.moves.length - moves.length;
  const parts = [
    `${headline(plan)}\n`,
    list(
      'By revision',
      revisionPairs(plan).map(
        ({ from, to, namespaces, pods }) =>
          `${from} → ${to}: ${counted(namespaces, 'namespace')}${plan.totals.workloads === 0 ? '' : `, ${counted(pods, 'pod')}`}`,
      ),
    ),
    moves.length === 0
      ? ''
      : `Namespaces that move\n${indent(table([['NAMESPACE', 'FROM', 'TO', 'WORKLOADS', 'PODS', 'WHY'], ...moves]))}${rest > 0 ? `  … and ${rest} more (-o json has all)\n` : ''}`,
    list('Buckets', plan.buckets.map(bucketLine)),
    plan.shares.length === 0 ? '' : `Shares\n${indent(table([shareHead, ...plan.shares.map(shareCells)]))}`,
    stuckText(plan),
    plan.somethingMoves ? list('Done by', boundSentences(plan)) : '',
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function stuckText({ stuck }: Plan): string {
  if (stuck.length === 0) return '';
  const rows = stuck.slice(0, longest).map(stuckCells);
  const rest = stuck.length - rows.length;
  return `Do not follow by themselves\n${indent(table([stuckHead, ...rows]))}${rest > 0 ? `  … and ${rest} more (-o json has all)\n` : ''}`;
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}\n${lines.map((line) => `  ${visible(line)}\n`).join('')}`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}
