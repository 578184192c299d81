// A table of settings: one row each with flag, environment variable, default, unit and meaning. The parser, `--help` and the
// page in docs/reference are made of it, so they cannot disagree. Flags win over the environment, which wins over defaults.
//
// Flags that no row knows are tolerated, because an old injection template may still pass retired ones: like pflag, a flag
// without `=` takes a following word that is no flag along with it.

export interface Setting<T> {
  /** Without the dashes. */
  readonly flag?: string;
  /** One letter. */
  readonly short?: string;
  readonly env?: string;
  /** Another variable; the first one wins. */
  readonly alsoEnv?: string;
  /** As it would be written. */
  readonly unset: string;
  readonly unit: string;
  readonly doc: string;
  /** Undefined: no such value. */
  readonly parse: (text: string) => T | undefined;
}

export type Table = Readonly<Record<string, Setting<unknown>>>;

export type Values<T extends Table> = { readonly [K in keyof T]: NonNullable<ReturnType<T[K]['parse']>> };

interface Reading<T extends Table> {
  readonly values: Values<T>;
  /** Words that are neither flags nor their values. */
  readonly words: readonly string[];
  /** Flags that nobody can mean: the call is wrong. */
  readonly errors: readonly string[];
  /** Environment variables whose value cannot be read: the default holds, as in Istio's agent. */
  readonly warnings: readonly string[];
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads a command line and the environment against a table. */
export function readTable<T extends Table>(table: T, args: readonly string[], env: Env): Reading<T> {
  const { flags, words } = splitFlags(table, args);
  const errors: string[] = [];
  const warnings: string[] = [];
  const values = Object.entries(table).map(([name, setting]) => {
    const { flag, short, env: first, alsoEnv, unset, unit, parse } = setting;
    const given = flags.get(flag ?? '') ?? flags.get(short ?? '');
    const variable = first !== undefined && (env[first] ?? '') !== '' ? first : (alsoEnv ?? first);
    const fromFlag = given === undefined ? undefined : parse(given);
    if (given !== undefined && fromFlag === undefined) errors.push(`--${flag} ${given}: not ${unit}`);
    const set = variable === undefined ? undefined : env[variable];
    const fromEnv = set === undefined || set === '' ? undefined : parse(set);
    if (set !== undefined && set !== '' && fromEnv === undefined)
      warnings.push(`${variable}=${set} is not ${unit}: ${unset || 'nothing'} holds`);
    return [name, fromFlag ?? fromEnv ?? parse(unset)] as const;
  });
  return { values: Object.fromEntries(values) as Values<T>, words, errors, warnings };
}

interface Split {
  readonly flags: ReadonlyMap<string, string>;
  readonly words: readonly string[];
}

function splitFlags(table: Table, args: readonly string[]): Split {
  const switches = new Set(
    Object.values(table).flatMap(({ flag, short, unit }) => (unit === 'true or false' ? [flag, short] : [])),
  );
  const flags = new Map<string, string>();
  const words: string[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    if (arg === '--') return { flags, words: [...words, ...args.slice(i + 1)] };
    if (!/^--?[A-Za-z]/.test(arg)) {
      words.push(arg);
      continue;
    }
    const [, name = '', value] = /^--?([^=]+)(?:=([\s\S]*))?$/.exec(arg) ?? [];
    const next = args[i + 1];
    if (value !== undefined) flags.set(name, value);
    else if (switches.has(name)) flags.set(name, 'true');
    else if (next !== undefined && !next.startsWith('-')) flags.set(name, args[++i] ?? '');
    else flags.set(name, '');
  }
  return { flags, words };
}

/** The rows as text for a terminal. */
export function tableHelp(table: Table): string {
  return Object.values(table)
    .map(({ flag, short, env, alsoEnv, unset, unit, doc }) => {
      const names = [
        short === undefined ? '' : `-${short}`,
        flag === undefined ? '' : `--${flag}`,
        env ?? '',
        alsoEnv ?? '',
      ]
        .filter((name) => name !== '')
        .join(', ');
      return `  ${names} (${unit}${unset === '' ? '' : `, default ${unset}`})\n      ${doc}`;
    })
    .join('\n');
}

/** The rows as a table in Markdown. */
export function tableMarkdown(table: Table): string {
  const cell = (text: string | undefined): string => (text === undefined || text === '' ? '' : `\`${text}\``);
  const list = (...texts: readonly (string | undefined)[]): string => texts.map(cell).filter(Boolean).join(', ');
  const rows = Object.values(table).map(
    ({ flag, short, env, alsoEnv, unset, unit, doc }) =>
      `| ${list(short === undefined ? '' : `-${short}`, flag === undefined ? '' : `--${flag}`)} | ${list(env, alsoEnv)} | ${cell(unset)} | ${unit} | ${doc} |`,
  );
  return ['| flag | environment | default | value | meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}
