// The agent's log: text as Istio's agent writes it (tabs between time, level, message, fields), or JSON objects.
import type { LogLine } from '../../core/proxy/index.ts';
import type { Host } from '../../ports/host.ts';

export type Level = 'debug' | LogLine['level'];
export type Log = (level: Level, message: string, fields?: LogLine['fields']) => void;

const order = ['debug', 'info', 'warn', 'error', 'none'] as const;

export interface LogForm {
  readonly json: boolean;
  /** `info`, or `default:info,scope:debug`: only the default scope is ours. */
  readonly least: string;
}

/** A log that prints to the host. */
export function logTo(host: Pick<Host, 'clock' | 'print'>, { json, least }: LogForm): Log {
  const from = order.indexOf(leastLevel(least));
  return (level, message, fields = {}) => {
    if (order.indexOf(level) < from) return;
    const time = new Date(host.clock.wallMs()).toISOString().replace(/(\.\d{3})Z$/, '$1000Z');
    host.print(
      json
        ? JSON.stringify({ level, time, scope: 'agent', msg: message, ...fields })
        : [time, level, message, ...Object.entries(fields).map(([name, value]) => `${name}=${textOf(value)}`)].join(
            '\t',
          ),
    );
  };
}

function leastLevel(text: string): (typeof order)[number] {
  const words = text.split(',').map((word) => word.split(':'));
  const found = words.flatMap(([scope = '', level]) =>
    level === undefined ? [scope] : scope === 'default' ? [level] : [],
  );
  return order.find((level) => level === found.at(-1)) ?? 'info';
}

function textOf(value: LogLine['fields'][string]): string {
  const text = Array.isArray(value) ? value.join(',') : String(value);
  return /[\s"]/.test(text) ? JSON.stringify(text) : text;
}
