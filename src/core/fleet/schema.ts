// The shape of fairway.yml, once: the reader checks against it, and schemas/fairway.schema.json is made of it. Says nothing
// about what hangs together (`parse.ts` does).
import * as z from 'zod';
import { parseDurationMs } from '../std/duration.ts';
import { parseRfc3339 } from '../std/rfc3339.ts';

const dayMs = 86_400_000;

/** "336h", "14d" or 0 in milliseconds; undefined for anything else or less than nothing. */
export function spanMs(value: string | number): number | undefined {
  const days = /^(\d{1,5})d$/.exec(String(value));
  const ms = days === null ? parseDurationMs(String(value)) : Number(days[1]) * dayMs;
  return ms === undefined || ms < 0 ? undefined : ms;
}

const span = z
  .union([
    z.literal(0),
    z
      .string()
      .regex(/^(?:\d+d|(?:\d+(?:\.\d*)?(?:ns|us|µs|ms|s|m|h))+|0)$/, 'expected a duration such as 336h, 1h30m or 14d'),
  ])
  .meta({ examples: ['336h', '14d', 0] });
const action = z.enum(['label', 'leave']);
const name = z.string().min(1);

const revision = z.strictObject({
  proxyImage: name.optional().describe('The image of istio-proxy of this revision.'),
  discoveryAddress: z
    .string()
    .regex(/^\S+:\d+$/, 'expected host:port')
    .optional()
    .describe('host:port of its control plane, as PROXY_CONFIG names it.'),
  since: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/, {
      error: 'expected a date or a time of RFC 3339, as in 2026-03-02',
      abort: true,
    })
    .refine((text) => parseRfc3339(text.slice(0, 10)) !== undefined, 'there is no such day')
    .optional()
    .describe('When it was installed: a date, or a time of RFC 3339.'),
  retired: z
    .boolean()
    .optional()
    .describe('No injector serves it any more; a label that names it is always corrected.'),
  remutateAfter: span
    .optional()
    .describe('Overrides the bucket and the fleet; 0 makes every new pod follow rollouts.yml.'),
});

const bucket = z.strictObject({
  mode: z
    .enum(['slots', 'exact'])
    .optional()
    .describe('exact: the lock keeps names, so that shares are exact for small buckets. Default: slots.'),
  remutateAfter: span.optional().describe('Overrides the fleet; 0 makes every new pod follow rollouts.yml.'),
});

const kind = z.strictObject({
  apiVersion: name.describe('As in manifests; the group alone means every version of it.'),
  kind: name,
  template: z
    .string()
    .regex(/^(?:\/(?:[^/~]|~[01])*)+$/, 'expected a JSON pointer, as in /spec/template')
    .describe('JSON pointer to the pod template, for example /spec/template.'),
});

const cluster = z.strictObject({
  rollouts: name
    .optional()
    .describe('Its own rollouts.yml, beside fairway.yml; its lock has the same name with .lock.'),
  exclude: z
    .array(name)
    .optional()
    .describe('Patterns of namespaces that are not in the mesh there, besides the fleet’s.'),
});

const duration = z
  .string()
  .regex(/^(?:\d+(?:\.\d*)?(?:ms|s|m|h))+$/, 'expected a duration such as 5s or 1m30s')
  .meta({ examples: ['5s', '1m30s'] });
const handler = z
  .partialRecord(z.enum(['exec', 'httpGet', 'sleep', 'tcpSocket']), z.record(z.string(), z.unknown()))
  .describe('A lifecycle handler, as a container has it.');

const lifecycle = z.strictObject({
  hold: z
    .boolean()
    .optional()
    .describe(
      'The application starts after the proxy is ready; a pod’s proxy.istio.io/config overrides it. Default: false.',
    ),
  postStart: handler.optional(),
  preStop: handler.optional(),
  lifecycleMode: z
    .enum(['merge', 'replace'])
    .optional()
    .describe('replace: these hooks and no generated one. Default: merge, hook by hook.'),
  terminationDrainDuration: duration.optional().describe('How long the proxy drains after SIGTERM.'),
  exitOnZero: z
    .enum(['off', 'connections', 'requests'])
    .optional()
    .describe(
      'The proxy ends when its last connection has, or its last request: idle connections do not hold it then, where the image has Fairway’s agent. Default: as Istio’s configuration says.',
    ),
  exitOnZeroActiveConnections: z
    .boolean()
    .optional()
    .describe('true: the same as exitOnZero: connections; false: off.'),
  minimumDrainDuration: duration.optional().describe('How long it drains at least then.'),
});

const shutdownGuard = z.strictObject({
  buckets: z.array(name).optional().describe('Keys of rollouts.yml whose workloads are guarded. Default: all.'),
  seconds: z
    .union([z.literal('auto'), z.int().min(1).max(600)])
    .optional()
    .describe('How long the application waits before it ends; auto: the time until its readiness fails. Default: 5.'),
});

export const fleetSchema = z
  .strictObject({
    defaultBucket: name
      .optional()
      .describe('The key of rollouts.yml that catches every other namespace. Default: production.'),
    salt: z.string().optional().describe('Mixed into every slot. Changing it moves namespaces. Default: empty.'),
    revisions: z.record(z.string(), revision).optional().describe('Every revision that rollouts.yml may name.'),
    buckets: z.record(z.string(), bucket).optional().describe('Settings of a bucket, by its key in rollouts.yml.'),
    exclude: z.array(name).optional().describe('Patterns of namespaces that are not in the mesh.'),
    remutateAfter: span
      .optional()
      .describe('How long after its last deploy a workload is labelled anew. Default: 14d.'),
    maxNodeLifetime: span.optional().describe('How long a node lives at most. Default: unknown, counted as 720h.'),
    ownerLabel: name.optional().describe('The label of a workload or a namespace that names who owns it.'),
    clusters: z.record(z.string(), cluster).optional().describe('Where a cluster differs from the fleet.'),
    kinds: z.array(kind).optional().describe('Kinds with a pod template beyond the built-in ones.'),
    admission: z
      .strictObject({
        unlabelled: z
          .union([action, z.record(z.string(), action)])
          .optional()
          .describe('What to do with pods without the label: one answer, or one by namespace pattern. Default: leave.'),
      })
      .optional(),
    lifecycle: lifecycle.optional().describe('How proxies start and end.'),
    mutators: z
      .strictObject({ 'shutdown-guard': shutdownGuard.optional() })
      .optional()
      .describe('Mutators that are switched on.'),
    kubernetes: z
      .string()
      .regex(/^1\.\d+$/, 'expected a version such as "1.33"')
      .optional()
      .describe('The oldest Kubernetes of the fleet, as in 1.29. Default: new enough.'),
  })
  .meta({ title: 'fairway.yml', description: 'What a fleet is made of. See docs/reference/fleet-file.md.' });

export type FleetFile = z.infer<typeof fleetSchema>;

/** The format as JSON Schema (2020-12), for editors: what stands in schemas/fairway.json. */
export function fleetJsonSchema(): object {
  return { $id: 'fairway.json', ...z.toJSONSchema(fleetSchema, { io: 'input', reused: 'inline' }) };
}
