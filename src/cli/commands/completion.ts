// `fairway completion`: a script with which a shell completes commands, flags, and the values of flags that have a list of them; files where
// nothing else fits. Made of the commands themselves, so that it cannot lag behind them.
import { Argument, Command, type Option } from 'commander';
import type { Io } from '../io.ts';

/** @param all every other command, built: a command that is not loaded has no flags yet */
export function build(io: Io, all: () => Promise<readonly Command[]>): Command {
  return new Command('completion')
    .description('Prints what a shell needs to complete the command line: `source <(fairway completion bash)`.')
    .addArgument(new Argument('<shell>', 'which one').choices(['bash', 'zsh']))
    .action(async (shell: 'bash' | 'zsh', _flags: object, own: Command) => {
      const places = placesOf('', [...(await all()), own]);
      const preface = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : '';
      io.stdout.write(`${preface}${script(places)}`);
    });
}

/** A command by its path below fairway (`pod run`), what may follow it, and the values that its flags take. */
interface Place {
  readonly path: string;
  readonly words: readonly string[];
  readonly values: readonly (readonly [flag: string, choices: readonly string[]])[];
}

function placesOf(path: string, commands: readonly Command[], flags: readonly Option[] = []): readonly Place[] {
  const names = flags.flatMap(({ long, short }) => [long, short]).filter((name) => name !== undefined && name !== null);
  const own = {
    path,
    words: [...commands.map((command) => command.name()), ...names, '--help'],
    values: flags.flatMap(({ long, short, argChoices = [] }) =>
      [long, short].flatMap((name) => (name && argChoices.length > 0 ? [[name, argChoices] as const] : [])),
    ),
  };
  const below = commands.flatMap((command) =>
    placesOf(`${path} ${command.name()}`.trim(), command.commands, command.options),
  );
  return [own, ...below];
}

/** Zsh runs it by its bashcompinit. A word that names no command below the place is an argument, and the place stays. */
function script(places: readonly Place[]): string {
  const paths = places.flatMap(({ path }) => (path === '' ? [] : [`'${path}'`]));
  const values = places.flatMap((place) =>
    place.values.map(([flag, choices]) => `    '${place.path}:${flag}') words='${choices.join(' ')}' ;;\n`),
  );
  const words = places.map((place) => `      '${place.path}') words='${place.words.join(' ')}' ;;\n`);
  return `_fairway() {
  local path= word words= current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
      ${paths.join('|')}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path:$before" in
${values.join('')}    *) case "$path" in
${words.join('')}    esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _fairway fairway
`;
}
