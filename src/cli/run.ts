// The command line: finds the command, loads only that one, runs it, and turns errors into messages and exit codes.
import { Command, CommanderError, Help } from 'commander';
import {
  formatProblem,
  InvariantError,
  ManifestError,
  SpecError,
  TransientError,
  UsageError,
} from '../core/std/errors.ts';
import type { ExitCode, Io } from './io.ts';
import { describeSystemError } from './system-error.ts';
import { version } from './version.ts';

interface Entry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<(io: Io) => Command>;
}

/** Every command, in the order of `fairway --help`. A command's module is read only when it is called. */
const entries: readonly Entry[] = [
  {
    name: 'validate',
    summary: 'check rollouts.yml and its companions',
    load: async () => (await import('./commands/validate.ts')).build,
  },
  {
    name: 'resolve',
    summary: 'print the revision of namespaces',
    load: async () => (await import('./commands/resolve.ts')).build,
  },
  {
    name: 'plan',
    summary: 'say what an edit of rollouts.yml does, before it is merged',
    load: async () => (await import('./commands/plan.ts')).build,
  },
  {
    name: 'explain',
    summary: 'say why a namespace is on its revision',
    load: async () => (await import('./commands/explain.ts')).build,
  },
  {
    name: 'mutate',
    summary: 'label manifests with the revision of their namespace',
    load: async () => (await import('./commands/mutate.ts')).build,
  },
  {
    name: 'inject',
    summary: 'put the proxy of a revision into manifests',
    load: async () => (await import('./commands/inject.ts')).build,
  },
  {
    name: 'doctor',
    summary: 'say what is wrong with injection in a cluster',
    load: async () => (await import('./commands/doctor.ts')).build,
  },
  {
    name: 'admission',
    summary: 'install and run the admission server',
    load: async () => (await import('./commands/admission.ts')).build,
  },
  {
    name: 'pod',
    summary: 'live a pod as a kubelet does',
    load: async () => (await import('./commands/pod.ts')).build,
  },
  {
    name: 'agent',
    summary: 'stand beside an Envoy: start, drain and stop it',
    load: async () => (await import('./commands/agent.ts')).build,
  },
  {
    name: 'completion',
    summary: 'print what a shell needs to complete the command line',
    load: async () => {
      const { build } = await import('./commands/completion.ts');
      return (io) => build(io, () => otherCommands(io));
    },
  },
  {
    name: 'version',
    summary: 'print the version',
    load: async () => (await import('./commands/version.ts')).build,
  },
];

export const commandNames: readonly string[] = entries.map(({ name }) => name);

async function otherCommands(io: Io): Promise<readonly Command[]> {
  const others = entries.filter(({ name }) => name !== 'completion');
  return Promise.all(others.map(async ({ load }) => (await load())(io)));
}

/** Runs one command line; resolves to the exit code and never rejects. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  try {
    const line = asked(args);
    const program = await assemble(line, io);
    await program.parseAsync([...line], { from: 'user' });
    return io.exitCode;
  } catch (error) {
    return report(error, io);
  }
}

/** `help pod run` asks what `pod run --help` asks, of commands that have a help of their own too; nothing asks for the list. */
function asked(args: readonly string[]): readonly string[] {
  if (args.length === 0) return ['--help'];
  const [first, ...topic] = args;
  if (first !== 'help') return args;
  const [name] = topic;
  if (name !== undefined && !name.startsWith('-') && !entries.some((entry) => entry.name === name))
    throw new UsageError(`there is no command ${name}`, { hint: 'fairway --help lists the commands' });
  return [...topic, '--help'];
}

async function assemble(args: readonly string[], io: Io): Promise<Command> {
  const called = args.find((arg) => !arg.startsWith('-'));
  // The agent's flags are its own; the options of other commands may stand anywhere.
  const program = quiet(new Command('fairway'), io)
    .description('Moves every workload of an Istio mesh from one revision to the next.')
    .version(version, '-V, --version', 'print the version')
    .showHelpAfterError('(fairway --help lists the commands)')
    .enablePositionalOptions(called === 'agent');
  for (const entry of entries) program.addCommand(await commandOf(entry, called, io));
  return program;
}

async function commandOf(entry: Entry, called: string | undefined, io: Io): Promise<Command> {
  if (entry.name !== called) return new Command(entry.name).summary(entry.summary);
  const build = await entry.load();
  return quietAll(build(io).summary(entry.summary), io);
}

function quietAll(command: Command, io: Io): Command {
  for (const child of command.commands) quietAll(child, io);
  return quiet(command, io);
}

/** Commander throws instead of ending the process, and writes to our streams. */
function quiet(command: Command, io: Io): Command {
  return command
    .exitOverride()
    .configureHelp({
      // Nothing is no default that a reader needs to be told.
      optionDescription: (option) => plainHelp.optionDescription(option).replace(/ \(default: (?:\[\]|false)\)$/, ''),
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
    });
}

const plainHelp = new Help();

function report(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? io.exitCode : 2;
  if (error instanceof SpecError || error instanceof ManifestError) {
    for (const problem of error.problems) io.stderr.write(`${formatProblem(problem)}\n`);
    return 2;
  }
  if (error instanceof UsageError || error instanceof TransientError) {
    io.stderr.write(`error: ${error.message}\n${error.hint === undefined ? '' : `  hint: ${error.hint}\n`}`);
    return error instanceof UsageError ? 2 : 69;
  }
  const refused = describeSystemError(error);
  if (refused === undefined) return reportBug(error, io);
  io.stderr.write(`error: ${refused.message}\n`);
  return refused.code;
}

function reportBug(error: unknown, io: Io): ExitCode {
  const known = error instanceof InvariantError ? 'broken invariant' : 'unexpected error';
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.stderr.write(`fairway ${version}: ${known}; this is a bug of fairway, please report it with the input\n${text}\n`);
  return 70;
}
