// A pod as the API shows it: times as RFC 3339, in the order of keys that `kubectl get -o yaml` prints.
import type { Pod } from '../../../core/pod/index.ts';

const timeFields = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'startTime',
  'startedAt',
  'finishedAt',
  'lastTransitionTime',
  'lastProbeTime',
]);

/** The object as JSON; undefined fields are left out, keys are sorted as kubectl sorts them. */
export function apiObject(pod: Pod): Readonly<Record<string, unknown>> {
  return { apiVersion: 'v1', kind: 'Pod', ...(turned(pod, '') as Readonly<Record<string, unknown>>) };
}

function turned(value: unknown, key: string): unknown {
  if (typeof value === 'number' && timeFields.has(key)) return new Date(value).toISOString().replace(/\.\d+Z$/, 'Z');
  if (Array.isArray(value)) return value.map((item) => turned(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, inner]) => [name, turned(inner, name)]));
}
