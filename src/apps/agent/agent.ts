// The agent's command line: `proxy`, `wait`, `request`, `istio-iptables`, `version`. The door of this folder. Unknown flags are tolerated
// everywhere, because the template that calls may be older than this program.
import type { Host } from '../../ports/host.ts';
import { runIptables } from './iptables.ts';
import { iptablesTable } from './iptables-settings.ts';
import { choice, truth } from './kinds.ts';
import { runProxy } from './proxy.ts';
import { requestTable, runRequest } from './request.ts';
import { proxyTable } from './settings.ts';
import { readTable, type Table, tableHelp } from './table.ts';
import { runWait, waitTable } from './wait.ts';

const versionTable = {
  short: truth('false', { flag: 'short', short: 's', doc: 'the number alone' }),
  output: choice('', { flag: 'output', short: 'o', doc: 'as data' }, ['', 'json', 'yaml']),
};

interface Command {
  readonly usage: string;
  readonly doc: string;
  readonly table: Table;
}

/** Every command with its settings; docs/reference/agent.md is made of it. */
export const agentCommands: Readonly<Record<string, Command>> = {
  proxy: {
    usage: 'proxy [sidecar|router|waypoint]',
    doc: 'start Envoy, tell when it is ready, drain it, stop it',
    table: proxyTable,
  },
  wait: { usage: 'wait', doc: 'wait until the proxy is ready (a postStart hook)', table: waitTable },
  request: {
    usage: 'request METHOD PATH [BODY]',
    doc: "ask the agent or Envoy's administration and print the answer",
    table: requestTable,
  },
  'istio-iptables': {
    usage: 'istio-iptables',
    doc: 'lead the traffic of this network namespace through the proxy; run again it adds what is missing',
    table: iptablesTable,
  },
  version: { usage: 'version', doc: 'print the version', table: versionTable },
};

interface Invocation {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: Host;
  readonly version: string;
}

/** Runs one command; the exit code of `proxy` is Envoy's where Envoy ended by itself. */
export async function runAgent(invocation: Invocation): Promise<number> {
  const code = await run(invocation);
  // Whoever calls Istio's agent knows one failure only; its istio-iptables has codes of its own.
  const isOne = isCompat(invocation) && invocation.args[0] !== 'istio-iptables';
  return isOne && code !== 0 ? istioFailure : code;
}

const istioFailure = 255;

function isCompat({ args, env }: Invocation): boolean {
  const at = args.indexOf('--compat');
  const flag =
    args.findLast((arg) => arg.startsWith('--compat='))?.slice('--compat='.length) ?? args[at < 0 ? -1 : at + 1];
  return (flag ?? env['FAIRWAY_COMPAT']) === 'istio';
}

async function run({ args, env, host, version }: Invocation): Promise<number> {
  const [name, rest] = named(args);
  const command = agentCommands[name];
  if (command === undefined) return help(name, host);
  if (rest.includes('--help') || rest.includes('-h')) {
    host.print(`Usage: fairway agent ${command.usage}\n\n${command.doc}\n\n${tableHelp(command.table)}`);
    return 0;
  }
  switch (name) {
    case 'proxy':
      return runProxy(rest, env, host);
    case 'istio-iptables':
      return runIptables(rest, env, host);
    case 'wait':
      return runWait(rest, host);
    case 'request':
      return runRequest(rest, env, host);
    default:
      return printVersion(rest, version, host);
  }
}

/** `help COMMAND` is `COMMAND --help`. */
function named([first = 'help', ...rest]: readonly string[]): readonly [name: string, rest: readonly string[]] {
  const [of] = rest;
  if (first === 'help' && of !== undefined) return [of, ['--help']];
  return [first === '--version' ? 'version' : first, rest];
}

function help(asked: string, host: Host): number {
  const lines = Object.values(agentCommands).map(({ usage, doc }) => `  ${usage.padEnd(34)} ${doc}`);
  const known = ['help', '--help', '-h'].includes(asked);
  const usage = `Usage: fairway agent COMMAND\n\n${lines.join('\n')}`;
  if (known) host.print(usage);
  else host.complain(`error: no command "${asked}"\n\n${usage}`);
  return known ? 0 : 2;
}

function printVersion(args: readonly string[], version: string, host: Host): number {
  const { values, errors } = readTable(versionTable, args, {});
  const { short, output } = values;
  for (const error of errors) host.complain(`error: ${error}`);
  if (errors.length > 0) return 2;
  if (short) host.print(version);
  else if (output === 'json')
    host.print(JSON.stringify({ clientVersion: { version, product: 'fairway' } }, undefined, 2));
  else if (output === 'yaml') host.print(`clientVersion:\n  version: ${version}\n  product: fairway`);
  else host.print(`fairway ${version}`);
  return 0;
}
