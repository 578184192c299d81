// `istio-iptables`: makes a network namespace lead its traffic through the proxy. Reads what is there, lets core/intercept say
// what to change, applies it table by table, proves it. Run again it adds what is missing, and nothing twice.
import {
  type Change,
  cleanRules,
  completeRules,
  type Family,
  type InterceptConfig,
  interceptConfig,
  interceptRules,
  nftRemoval,
  nftRules,
  nftText,
  parseSaved,
  reconcileRules,
} from '../../core/intercept/index.ts';
import type { Host } from '../../ports/host.ts';
import { flagsOf } from './iptables-flags.ts';
import { type IptablesSettings, iptablesTable } from './iptables-settings.ts';
import { isRedirected } from './iptables-validation.ts';
import { iptablesOf, iptablesWithRules } from './iptables-variant.ts';
import { type Log, logTo } from './log.ts';
import { insideOf } from './network-namespace.ts';
import { applyNft, nftTablesOf, removeNftTables } from './nftables.ts';
import { readTable } from './table.ts';

const refused = 1;
const notRedirected = 126;

interface Run {
  readonly host: Host;
  readonly log: Log;
  readonly settings: IptablesSettings;
  readonly config: InterceptConfig;
}

/** 0 done; 1 for flags or rules that do not fit; 126 where the redirect does not work. */
export async function runIptables(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  machine: Host,
): Promise<number> {
  const { values: settings, errors, warnings } = readTable(iptablesTable, args, env);
  const host = settings.networkNamespace === '' ? machine : await insideOf(settings.networkNamespace, machine);
  const log = logTo(host, { json: settings.logAsJson, least: settings.logOutputLevel });
  for (const warning of warnings) log('warn', 'setting ignored', { problem: warning });
  const { config, problems } = interceptConfig(flagsOf(settings, host), placeOf(host));
  const unsupported =
    settings.networkNamespace !== '' && settings.runValidation
      ? ['the validation sends from this network namespace: run it inside of the other']
      : [];
  const wrong = [...errors, ...problems.map(({ message }) => message), ...unsupported];
  for (const problem of wrong) log('error', 'cannot intercept', { problem });
  if (wrong.length > 0) return refused;
  const run = { host, log, settings, config };
  if (!settings.skipRuleApply && !(await intercept(run))) return refused;
  return !settings.runValidation ||
    settings.dryRun ||
    settings.cleanupOnly ||
    (await isRedirected({ host, log, config, probePort: settings.probePort, withinMs: settings.probeTimeoutMs }))
    ? 0
    : notRedirected;
}

function placeOf(host: Host): Parameters<typeof interceptConfig>[1] {
  const lines = (host.files.read('/etc/resolv.conf') ?? '').split('\n');
  const nameservers = lines.flatMap((line) => /^\s*nameserver\s+([0-9a-fA-F.:]+)/.exec(line)?.[1] ?? []);
  return { addresses: host.net.addresses(), nameservers };
}

/** Rules, and what they need of addresses and routes. */
async function intercept(run: Run): Promise<boolean> {
  const { settings, config } = run;
  const replaces = settings.cleanupOnly || settings.reconcile || settings.forceApply;
  if (!replaces && !(await isAlone(run))) return false;
  // Where one kind of rules replaces the other, both hold for a moment: no packet passes without any.
  const applied = (await applyAsAsked(run)) && (!replaces || (await removeOther(run)));
  if (!applied || settings.dryRun) return applied;
  return (await sourceAddress(run)) && (config.mode !== 'TPROXY' || routes(run));
}

function applyAsAsked(run: Run): Promise<boolean> {
  if (!run.settings.nativeNftables) return apply(run);
  return applyNft(run, run.settings.cleanupOnly ? nftRemoval : nftText(nftRules(run.config)));
}

/** Rules of both kinds would each catch what the other leaves out. */
async function isAlone({ host, log, settings }: Run): Promise<boolean> {
  const what = settings.nativeNftables ? await iptablesWithRules(host) : await nftTablesOf(host);
  if (what.length === 0) return true;
  log('error', 'this namespace is intercepted by the other kind of rules: nothing was changed', {
    what,
    hint: '--reconcile replaces them, --cleanup-only takes them away',
  });
  return false;
}

function removeOther(run: Run): Promise<boolean> {
  return run.settings.nativeNftables
    ? apply({ ...run, settings: { ...run.settings, cleanupOnly: true } })
    : removeNftTables(run);
}

interface Step {
  readonly family: Family;
  readonly program: string;
  readonly change: Change;
}

/** Every family is looked at before any is changed. */
async function apply(run: Run): Promise<boolean> {
  const { host, log, settings, config } = run;
  const steps: Step[] = [];
  for (const family of settings.cleanupOnly ? (['v4', 'v6'] as const) : config.families) {
    const step = await stepFor(run, family);
    if (step !== undefined) steps.push(step);
    else if (isNeeded(run, family)) return false;
  }
  const foreign = steps.flatMap(({ change }) => (change.kind === 'foreign' ? change.what : []));
  if (foreign.length > 0) {
    log('error', 'foreign content in chains of Istio: nothing was changed', {
      what: foreign,
      hint: '--reconcile replaces it',
    });
    return false;
  }
  for (const { program, change } of steps) {
    if (change.kind !== 'restore') continue;
    if (settings.dryRun) host.print(`# ${program}-restore --noflush\n${change.text.trimEnd()}`);
    else if (!(await succeeds(run, `${program}-restore`, ['--noflush', '--wait', '30'], change.text))) return false;
  }
  if (!settings.nativeNftables && steps.every(({ change }) => change.kind === 'none')) log('info', 'nothing to change');
  return true;
}

/** Without iptables there are no rules of iptables to take away. */
function isNeeded({ settings, config }: Run, family: Family): boolean {
  return !settings.nativeNftables && config.families.includes(family);
}

async function stepFor(run: Run, family: Family): Promise<Step | undefined> {
  const { host, log, settings, config } = run;
  const found = await iptablesOf(host, family, settings.binary);
  if (found === undefined) {
    log(isNeeded(run, family) ? 'error' : 'debug', 'no iptables works here', { family });
    return undefined;
  }
  const wanted = interceptRules(config, family);
  const saved = parseSaved(found.saved);
  const decide = settings.cleanupOnly
    ? cleanRules
    : settings.reconcile || settings.forceApply
      ? reconcileRules
      : completeRules;
  return { family, program: found.program, change: decide(wanted, saved) };
}

async function succeeds(
  { host, log }: Run,
  program: string,
  args: readonly string[],
  stdin?: string,
): Promise<boolean> {
  const { status, stderr } = await host.processes.run(program, args, stdin);
  if (status !== 0)
    log('error', 'a command failed', { command: [program, ...args].join(' '), status, problem: stderr.trim() });
  return status === 0;
}

/** What the agent sends from, so that interception knows it: all of 127.0.0.0/8 is this machine's, but of IPv6 only ::1. */
async function sourceAddress(run: Run): Promise<boolean> {
  const { settings, config } = run;
  if (settings.cleanupOnly || !config.families.includes('v6')) return true;
  return succeeds(run, 'ip', ['-6', 'addr', 'replace', '::6/128', 'dev', 'lo']);
}

/** Marked packets are delivered locally. Run again it changes nothing. */
async function routes(run: Run): Promise<boolean> {
  const { host, settings, config } = run;
  const mark = String(config.mark);
  const table = String(config.routeTable);
  for (const family of config.families) {
    const version = family === 'v4' ? '-4' : '-6';
    if (settings.cleanupOnly) {
      await host.processes.run('ip', [version, 'rule', 'del', 'fwmark', mark, 'lookup', table]);
      await host.processes.run('ip', [version, 'route', 'flush', 'table', table]);
      continue;
    }
    const { stdout } = await host.processes.run('ip', [version, 'rule', 'show']);
    const marked = new RegExp(`fwmark 0x${config.mark.toString(16)} lookup ${table}\\b`).test(stdout);
    if (!marked && !(await succeeds(run, 'ip', [version, 'rule', 'add', 'fwmark', mark, 'lookup', table])))
      return false;
    if (!(await succeeds(run, 'ip', [version, 'route', 'replace', 'local', 'default', 'dev', 'lo', 'table', table])))
      return false;
  }
  return true;
}
