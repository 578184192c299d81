// From what is there to what is wanted, as input of `iptables-restore --noflush`: one transaction a table, so that no packet
// passes a half-made table. Without reconcile only what is missing is added, at its place; what contradicts the plan is foreign,
// and nothing is touched. Istio's own builder deletes and re-creates, or applies over what is there (tools/istio-iptables/pkg/capture/run.go).
import { canonicalRule } from './canonical.ts';
import type { Chains, Rule, Ruleset } from './rules.ts';
import { isOwnChain, type Saved } from './save.ts';

export type Change =
  | { readonly kind: 'none' }
  | { readonly kind: 'restore'; readonly text: string }
  /** Own chains hold what the plan does not. */
  | { readonly kind: 'foreign'; readonly what: readonly string[] };

type SavedChains = ReadonlyMap<string, readonly string[]>;

const noChains: SavedChains = new Map();

/** Adds what is missing, or says what is in the way. */
export function completeRules(wanted: Ruleset, saved: Saved): Change {
  const foreign: string[] = [];
  const texts: string[] = [];
  for (const table of tablesOf(wanted, saved)) {
    const chains: Chains = wanted.get(table as 'nat') ?? new Map<string, readonly Rule[]>();
    const found = saved.get(table) ?? noChains;
    foreign.push(...foreignContent(table, chains, found));
    const created = [...chains.keys()].filter((name) => isOwnChain(name) && !found.has(name));
    const steps = [...chains].flatMap(([name, rules]) => missingSteps(name, rules, found.get(name) ?? []));
    if (created.length + steps.length > 0) texts.push(transaction(table, created, steps));
  }
  if (foreign.length > 0) return { kind: 'foreign', what: foreign };
  return texts.length === 0 ? { kind: 'none' } : { kind: 'restore', text: texts.join('') };
}

/** Makes the own chains exactly what is wanted, whatever they hold; strangers' rules are left alone. */
export function reconcileRules(wanted: Ruleset, saved: Saved): Change {
  if (completeRules(wanted, saved).kind === 'none') return { kind: 'none' };
  const texts = tablesOf(wanted, saved).map((table) => {
    const chains: Chains = wanted.get(table as 'nat') ?? new Map<string, readonly Rule[]>();
    const found = saved.get(table) ?? noChains;
    const old = [...found.keys()].filter(isOwnChain);
    const own = [...chains.keys()].filter(isOwnChain);
    const filled = [...chains]
      .filter(([name]) => isOwnChain(name))
      .flatMap(([name, rules]) => rules.map(({ text }) => `-A ${name} ${text}`));
    const ours = deletions(chains, found);
    const jumps = [...chains]
      .filter(([name]) => !isOwnChain(name))
      .flatMap(([name, rules]) => addedToEmpty(name, rules));
    const gone = old.filter((name) => !own.includes(name)).map((name) => `-X ${name}`);
    return transaction(table, [...new Set([...old, ...own])], [...ours, ...filled, ...jumps, ...gone]);
  });
  return { kind: 'restore', text: texts.join('') };
}

/** Takes away the own chains and all that leads to them, also what another configuration left; jumps go first. */
export function cleanRules(wanted: Ruleset, saved: Saved): Change {
  const texts: string[] = [];
  for (const [table, found] of saved) {
    const chains: Chains = wanted.get(table as 'nat') ?? new Map<string, readonly Rule[]>();
    const old = [...found.keys()].filter(isOwnChain);
    const steps = deletions(chains, found);
    if (old.length + steps.length > 0)
      texts.push(transaction(table, old, [...steps, ...old.map((name) => `-X ${name}`)]));
  }
  return texts.length === 0 ? { kind: 'none' } : { kind: 'restore', text: texts.join('') };
}

/** Whether anything of Istio's interception is there, of whatever configuration. */
export function holdsInterception(saved: Saved): boolean {
  return [...saved.values()].some(hasResidue);
}

/** Declares chains (which empties those that exist) and runs the steps; applied as a whole or not at all. */
function transaction(table: string, declared: readonly string[], steps: readonly string[]): string {
  return [`*${table}`, ...declared.map((name) => `:${name} - [0:0]`), ...steps, 'COMMIT', ''].join('\n');
}

function tablesOf(wanted: Ruleset, saved: Saved): string[] {
  const withResidue = [...saved].filter(([, chains]) => hasResidue(chains)).map(([table]) => table);
  return [...new Set([...wanted.keys(), ...withResidue])].sort();
}

function hasResidue(chains: SavedChains): boolean {
  return [...chains].some(([name, rules]) => isOwnChain(name) || rules.some(leadsToOwnChain));
}

/** Steps that take our rules out of built-in chains. */
function deletions(wanted: Chains, found: SavedChains): string[] {
  return builtIn(found).flatMap(([name, rules]) =>
    rules.filter((rule) => isOurs(rule, wanted.get(name) ?? [])).map((rule) => `-D ${name} ${rule}`),
  );
}

function builtIn(found: SavedChains): [string, readonly string[]][] {
  return [...found].filter(([name]) => !isOwnChain(name));
}

function foreignContent(table: string, wanted: Chains, found: SavedChains): string[] {
  const what: string[] = [];
  for (const [name, rules] of found) {
    const planned = (wanted.get(name) ?? []).map(({ text }) => canonicalRule(text));
    const there = rules.map(canonicalRule);
    if (isOwnChain(name)) {
      if (!wanted.has(name)) what.push(`${table} ${name}`);
      else if (!isSubsequence(there, planned))
        what.push(`${table} ${name}: ${rules.find((rule) => !planned.includes(canonicalRule(rule))) ?? 'order'}`);
    } else {
      const stray = rules.find((rule) => leadsToOwnChain(rule) && !planned.includes(canonicalRule(rule)));
      if (stray !== undefined) what.push(`${table} ${name}: ${stray}`);
      if (
        !isSubsequence(
          there.filter((rule) => planned.includes(rule)),
          planned,
        )
      )
        what.push(`${table} ${name}: order`);
    }
  }
  return what;
}

function isSubsequence(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const item of whole) if (at < part.length && part[at] === item) at++;
  return at === part.length;
}

/** Insertions that make the rules stand in order among what is there; positions count as the steps run one after the other. */
function missingSteps(chain: string, rules: readonly Rule[], found: readonly string[]): string[] {
  const there = found.map(canonicalRule);
  const steps: string[] = [];
  let at = 0;
  for (const [i, { text, place }] of rules.entries()) {
    const position = there.indexOf(canonicalRule(text), at);
    if (position !== -1) {
      at = position + 1;
      continue;
    }
    const next = rules
      .slice(i + 1)
      .map((rule) => there.indexOf(canonicalRule(rule.text), at))
      .find((index) => index !== -1);
    const target = place === 'first' ? at : (next ?? there.length);
    steps.push(target === there.length ? `-A ${chain} ${text}` : `-I ${chain} ${target + 1} ${text}`);
    there.splice(target, 0, canonicalRule(text));
    at = target + 1;
  }
  return steps;
}

function addedToEmpty(chain: string, rules: readonly Rule[]): string[] {
  const first = rules.filter(({ place }) => place === 'first').map(({ text }, i) => `-I ${chain} ${i + 1} ${text}`);
  return [...first, ...rules.filter(({ place }) => place === 'last').map(({ text }) => `-A ${chain} ${text}`)];
}

function isOurs(rule: string, wanted: readonly Rule[]): boolean {
  return (
    leadsToOwnChain(rule) ||
    isTproxyMark(rule) ||
    wanted.some(({ text }) => canonicalRule(text) === canonicalRule(rule))
  );
}

function leadsToOwnChain(rule: string): boolean {
  return /(?:^| )-[jg] ISTIO_/.test(rule);
}

/** Rules of TPROXY in built-in chains, which no jump betrays: they save, restore or set the marks 1337 and 1338. */
function isTproxyMark(rule: string): boolean {
  return /--mark 0x539\b.*-j (?:CONNMARK|RETURN)\b|-j MARK --set-xmark 0x53a\b/.test(rule);
}
