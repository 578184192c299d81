// A Deployment's spec, parsed with Kubernetes' defaults, and what its strategy allows as numbers.
import { z } from 'zod';
import type { Problem } from '../std/errors.ts';

const share = z.union([
  z.int().min(0),
  z.string().regex(/^(100|[1-9]?\d)%$/, 'must be a whole number or a percentage up to 100%'),
]);

const schema = z.looseObject({
  replicas: z.int().min(0).default(1),
  minReadySeconds: z.int().min(0).default(0),
  strategy: z
    .looseObject({
      type: z.enum(['RollingUpdate', 'Recreate']).default('RollingUpdate'),
      rollingUpdate: z.looseObject({ maxSurge: share.default('25%'), maxUnavailable: share.default('25%') }).optional(),
    })
    .default({ type: 'RollingUpdate' }),
  selector: z.looseObject({ matchLabels: z.record(z.string(), z.string()).default({}) }),
  template: z.looseObject({
    metadata: z
      .looseObject({
        labels: z.record(z.string(), z.string()).default({}),
        annotations: z.record(z.string(), z.string()).default({}),
      })
      .default({ labels: {}, annotations: {} }),
    spec: z.looseObject({}),
  }),
});

export type DeploymentSpec = z.output<typeof schema>;

export type ParsedDeployment =
  | { readonly kind: 'valid'; readonly spec: DeploymentSpec }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** The spec of a Deployment, or all its problems; the template's own spec is for the pods' validation. */
export function parseDeployment(spec: unknown): ParsedDeployment {
  const parsed = schema.safeParse(spec);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => problem(issue.path.map(String), issue.message));
    return { kind: 'invalid', problems };
  }
  const { selector, template } = parsed.data;
  const unmatched = Object.entries(selector.matchLabels).filter(
    ([key, value]) => template.metadata.labels[key] !== value,
  );
  if (unmatched.length === 0) return { kind: 'valid', spec: parsed.data };
  const message = `\`selector\` does not match template \`labels\`: ${unmatched.map(([key]) => key).join(', ')}`;
  return { kind: 'invalid', problems: [problem(['template', 'metadata', 'labels'], message)] };
}

interface Budget {
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** Percentages of surge round up, of unavailability down; both zero would never move, so one may be unavailable. */
export function budgetOf({ replicas, strategy }: DeploymentSpec): Budget {
  const { maxSurge, maxUnavailable } = strategy.rollingUpdate ?? { maxSurge: '25%', maxUnavailable: '25%' };
  const surge = Math.ceil(amountOf(maxSurge, replicas));
  const unavailable = Math.floor(amountOf(maxUnavailable, replicas));
  return { maxSurge: surge, maxUnavailable: surge === 0 && unavailable === 0 ? 1 : Math.min(unavailable, replicas) };
}

function amountOf(value: number | string, replicas: number): number {
  return typeof value === 'number' ? value : (Number(value.slice(0, -1)) * replicas) / 100;
}

function problem(path: readonly string[], message: string): Problem {
  return { code: 'deployment', severity: 'error', path: ['spec', ...path].join('.'), message };
}
