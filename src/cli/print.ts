// How commands print data: tables for people, JSON and YAML for programs.
import { visible } from '../core/std/visible.ts';
import type { Io } from './io.ts';

export type DataFormat = 'json' | 'yaml';

/** One value as JSON or YAML on stdout. */
export async function printData(io: Io, format: DataFormat, value: unknown): Promise<void> {
  if (format === 'json') io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
  else {
    const { yamlText } = await import('./yaml-text.ts');
    io.stdout.write(yamlText(value));
  }
}

/** Rows as aligned columns, two blanks apart, without blanks at line ends. */
export function table(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map(visible));
  const widths =
    rows[0]?.map((_, column) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0)) ?? [];
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
