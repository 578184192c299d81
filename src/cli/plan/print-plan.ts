// Prints a plan in the format that was asked for. The JSON is a contract: times are RFC 3339, durations milliseconds.
import type { Plan } from '../../core/plan/index.ts';
import type { Io } from '../io.ts';
import { printData } from '../print.ts';

export async function printResult(plan: Plan, format: 'table' | 'json' | 'yaml' | 'markdown', io: Io): Promise<void> {
  if (format === 'table') io.stdout.write((await import('./plan-text.ts')).planText(plan));
  else if (format === 'markdown') io.stdout.write((await import('./plan-markdown.ts')).planMarkdown(plan));
  else {
    const { doneByMs, ...rest } = plan;
    await printData(io, format, { ...rest, doneBy: new Date(doneByMs).toISOString() });
  }
}
