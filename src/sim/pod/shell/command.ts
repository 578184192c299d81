// A container's, a hook's or a probe's command line as acts, where the small shell understands it.
import { type Act, word } from '../process/act.ts';
import { commandAct } from './commands.ts';
import { Unread } from './lex.ts';
import { parseShell } from './parse.ts';

export type CommandReading =
  | { readonly kind: 'acts'; readonly acts: readonly Act[] }
  /** `because` names the command and what is in it that is not understood. */
  | { readonly kind: 'unknown'; readonly because: string };

/** What a command does; its words are taken as they are, only a script behind `sh -c` expands. */
export function commandActs(command: readonly string[]): CommandReading {
  const [name, ...args] = command;
  if (name === undefined) return { kind: 'unknown', because: 'it has no command' };
  try {
    const act = commandAct(name, { args: args.map(word), output: undefined, script: parseShell });
    return { kind: 'acts', acts: [act] };
  } catch (error) {
    if (!(error instanceof Unread)) throw error;
    return { kind: 'unknown', because: `its command has ${error.message}` };
  }
}
