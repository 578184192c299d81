// `fairway pod explain`.
import { Command } from 'commander';
import type { Io } from '../../io.ts';

export function build(io: Io): Command {
  return new Command('explain').argument('<file>').action(() => void io.stdout.write(''));
}
