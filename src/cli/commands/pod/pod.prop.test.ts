import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { capture } from '../../capture.ts';

const probe = { exec: { command: ['true'] }, periodSeconds: 5, failureThreshold: 2 };
const whole = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'd', labels: { a: 'b' }, annotations: {}, generation: 3 },
  spec: {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 5,
    activeDeadlineSeconds: 60,
    os: { name: 'linux' },
    readinessGates: [{ conditionType: 'x/y' }],
    schedulingGates: [],
    volumes: [{ name: 'v', emptyDir: {} }],
    initContainers: [{ name: 's', image: 's:1', restartPolicy: 'Always', startupProbe: probe }],
    containers: [
      {
        name: 'a',
        image: 'a:1',
        command: ['sh', '-c', 'sleep 3; exit 1'],
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
        resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } },
        resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
        restartPolicy: 'Always',
        restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [3] } }],
        livenessProbe: probe,
        lifecycle: { preStop: { sleep: { seconds: 1 } }, postStart: { exec: { command: ['sleep', '1'] } } },
      },
    ],
  },
};

type Path = readonly (string | number)[];

/** Every place of a value. */
function pathsOf(value: unknown, above: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [above];
  return [above, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...above, key]))];
}

function replaced(value: unknown, [key, ...rest]: Path, by: unknown): unknown {
  if (key === undefined) return by;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[key] = replaced(copy[key], rest, by);
  return copy;
}

const junk = fc.oneof(
  fc.constantFrom<unknown>(null, '', 'x', '__proto__', 0, -1, 1.5, 1e21, true, [], [null], ['x'], {}, { x: 1 }),
  fc.jsonValue({ maxDepth: 1 }),
);

test('whatever stands in a manifest, the commands answer or say what is wrong with it: never a bug', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...pathsOf(whole)),
      junk,
      fc.constantFrom('simulate', 'explain'),
      async (path, value, command) => {
        const stdin = JSON.stringify(replaced(whole, path, value));
        const { code, stderr } = await capture(
          ['pod', command, '-', ...(command === 'simulate' ? ['--until', '30s'] : [])],
          { stdin },
        );
        assert.ok(code === 0 || code === 1 || code === 2, stderr);
      },
    ),
    { numRuns: 200 },
  );
});
