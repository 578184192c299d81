// The scenario file, as it is written: how a pod's containers behave, run by run, what its probes and hooks do, what the node
// costs, and what happens to the pod, when. The schema is the one source of the types, of schemas/scenario.json and of the
// checks; docs/reference/scenario.md explains it. Only shape is decided here; meaning is given by `behaviour`.
import { z } from 'zod';
import { parseDurationMs } from '../../../core/std/duration.ts';

/** "1m30s", "250ms"; a bare number counts seconds. In milliseconds. */
const duration = z
  .union([z.string(), z.number().nonnegative()])
  .refine((value) => typeof value === 'number' || (parseDurationMs(value) ?? -1) >= 0, {
    message: 'must be a duration such as 2s, 250ms or 1m30s, or a number of seconds',
  })
  .describe('a duration: 2s, 250ms, 1m30s, or a number of seconds');

/** A duration, or `forever`. */
const span = z.union([z.literal('forever'), duration]).describe('a duration, or "forever"');

const path = z.string().min(1).regex(/^\//, 'must be an absolute path');
const signal = z.string().regex(/^(?:SIG)?[A-Z][A-Z0-9+-]*$/, 'must be the name of a signal: TERM, USR1, …');
const exitCode = z.int().min(0).max(255);

const exit = z.union([
  exitCode,
  z.strictObject({
    code: exitCode,
    reason: z.string().optional().describe('reason of the terminated state; default Completed or Error'),
    message: z.string().optional().describe('termination message'),
  }),
]);

const exactlyOne = (value: object): boolean => Object.keys(value).length === 1;

/** One step of a run or a hook: exactly one of the keys. */
export type Step = {
  readonly sleep?: string | number | undefined;
  readonly busy?: string | number | undefined;
  readonly touch?: string | undefined;
  readonly rm?: string | undefined;
  readonly trap?: Readonly<Record<string, 'ignore' | 'default' | readonly Step[]>> | undefined;
  readonly exit?: z.infer<typeof exit> | undefined;
  readonly repeat?: readonly Step[] | undefined;
  readonly sh?: string | undefined;
};

const step: z.ZodType<Step> = z.lazy(() =>
  z
    .strictObject({
      sleep: span.optional().describe('waits; a signal with a trap interrupts it'),
      busy: span.optional().describe('waits like a shell for a command: a trap is run only when it is over'),
      touch: path.optional().describe('creates a file'),
      rm: path.optional().describe('removes a file'),
      trap: z
        .record(signal, z.union([z.literal('ignore'), z.literal('default'), z.array(step)]))
        .optional()
        .describe('what a signal does from now on: steps, "ignore", or "default"'),
      exit: exit.optional().describe('ends the run with this exit code'),
      repeat: z.array(step).min(1).optional().describe('these steps over and over'),
      sh: z.string().optional().describe('a line of shell, of the part of shell that Fairway understands'),
    })
    .refine(exactlyOne, { message: 'must have exactly one of sleep, busy, touch, rm, trap, exit, repeat, sh' })
    .meta({ id: 'step', minProperties: 1, maxProperties: 1 }),
);

const verdict = z.enum(['success', 'failure', 'warning', 'error', 'timeout']);
const fileTest = z.strictObject({ file: path.describe('success while this file exists') });
const timedAnswer = z.strictObject({
  from: duration.optional().describe('counted from the start of the run; default 0s'),
  answer: verdict,
  takes: span.optional().describe('how long the answer takes; longer than timeoutSeconds is a failure'),
});
const answers = z
  .union(
    [verdict, fileTest, timedAnswer, z.array(timedAnswer).min(1)],
    'must be success, failure, warning, error or timeout, {file}, {from, answer, takes}, or a list of these last',
  )
  .meta({ id: 'answers' });
const probes = z.strictObject({
  startup: answers.optional(),
  liveness: answers.optional(),
  readiness: answers.optional(),
});
const hook = z.union([span, z.array(step)], 'must be a duration, forever, or a list of steps').meta({ id: 'hook' });
const hooks = z.strictObject({ postStart: hook.optional(), preStop: hook.optional() });

const steps = z.array(step);
const word = z
  .enum(['serve', 'deaf'])
  .describe('serve: runs until its stop signal, then exits 0; deaf: ignores every signal');
const fullRun = z
  .strictObject({
    steps: z.union([word, steps]).optional(),
    fails: z
      .enum(['RunContainerError', 'CreateContainerError', 'CreateContainerConfigError'])
      .optional()
      .describe('it cannot be started at all'),
    message: z.string().optional(),
    probes: probes.optional(),
    hooks: hooks.optional(),
  })
  .refine((value) => value.steps === undefined || value.fails === undefined, {
    message: 'has either steps or fails, not both',
  });
const run = z
  .union([word, steps, fullRun], 'must be serve, deaf, a list of steps, or {steps, probes, hooks} or {fails, message}')
  .meta({ id: 'run' });

const container = z
  .strictObject({
    run: run.optional().describe('what every run does'),
    runs: z.array(run).min(1).optional().describe('first run, second run, …; the last stands for all later ones'),
    probes: probes.optional(),
    hooks: hooks.optional(),
  })
  .refine((value) => value.run === undefined || value.runs === undefined, {
    message: 'has either run or runs, not both',
  });

const image = z.strictObject({
  present: z.boolean().optional().describe('whether the node has it already; default true'),
  takes: span.optional().describe('how long a pull takes'),
  fails: z
    .enum(['ErrImagePull', 'InvalidImageName', 'ImageInspectError', 'RegistryUnavailable', 'SignatureValidationFailed'])
    .optional(),
  message: z.string().optional(),
  times: z.int().positive().optional().describe('how often it fails before it works; default always'),
});
const trouble = {
  takes: span.optional(),
  fails: z.string().optional().describe('the message with which it fails'),
  times: z.int().positive().optional().describe('how often it fails before it works; default always'),
};

const at = duration.describe('when, counted from the creation of the pod');
const grace = z.int().optional().describe('seconds; default the pod’s own');
const condition = {
  type: z.string(),
  status: z.enum(['True', 'False', 'Unknown']),
  reason: z.string().optional(),
  message: z.string().optional(),
};
const resources = z.looseObject({
  requests: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  limits: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
});

const event = z
  .discriminatedUnion('do', [
    z.strictObject({
      at,
      do: z.literal('delete'),
      grace,
      force: z.boolean().optional().describe('as --force: grace 0'),
    }),
    z.strictObject({ at, do: z.literal('evict'), grace }).describe('the Eviction API, granted'),
    z
      .strictObject({
        at,
        do: z.literal('node-evict'),
        grace: z.int().nonnegative().optional(),
        message: z.string().optional(),
      })
      .describe('node pressure; without grace a hard eviction'),
    z.strictObject({ at, do: z.literal('preempt') }).describe('a critical pod needs the place'),
    z.strictObject({
      at,
      do: z.literal('node-shutdown'),
      grace: z.int().nonnegative().optional().describe('seconds that the node gives the pod'),
    }),
    z.strictObject({ at, do: z.literal('set-condition'), ...condition }),
    z.strictObject({ at, do: z.literal('remove-condition'), type: z.string() }),
    z.strictObject({
      at,
      do: z.literal('set-image'),
      images: z.record(z.string(), z.string()).describe('container to image'),
    }),
    z.strictObject({
      at,
      do: z.literal('resize'),
      containers: z.record(z.string(), resources).describe('container to resources'),
    }),
    z.strictObject({
      at,
      do: z.literal('remove-scheduling-gates'),
      gates: z.array(z.string()).optional().describe('default all'),
    }),
    z.strictObject({
      at,
      do: z.literal('patch'),
      spec: z.record(z.string(), z.unknown()).describe('merged into the spec; containers by name'),
    }),
    z.strictObject({
      at,
      do: z.literal('label'),
      labels: z.record(z.string(), z.string()).optional(),
      annotations: z.record(z.string(), z.string()).optional(),
    }),
    z.strictObject({
      at,
      do: z.literal('add-ephemeral-container'),
      container: z.looseObject({ name: z.string(), image: z.string().optional() }),
    }),
    z
      .strictObject({ at, do: z.literal('end-run'), container: z.string(), exit })
      .describe('something outside ends the running container'),
    z
      .strictObject({ at, do: z.literal('lose-record'), container: z.string() })
      .describe('the runtime forgets the newest run'),
    z.strictObject({ at, do: z.literal('lose-sandbox') }),
    z.strictObject({
      at,
      do: z.literal('kubelet-restart'),
      down: duration.optional().describe('how long no kubelet runs; default 0s'),
    }),
    z.strictObject({ at, do: z.literal('lose-node') }).describe('the kubelet is not heard any more'),
    z.strictObject({ at, do: z.literal('node-back') }),
    z.strictObject({ at, do: z.literal('collect') }).describe('PodGC removes the pod'),
  ])
  .meta({ id: 'event' });

const kubelet = z.strictObject({
  version: z.enum(['1.33', '1.34', '1.35', '1.36', '1.37']).optional(),
  featureGates: z.record(z.string(), z.boolean()).optional(),
  maxContainerRestartPeriod: duration.optional().describe('crashLoopBackOff.maxContainerRestartPeriod, 1s to 300s'),
  allocatable: z.record(z.string(), z.string()).optional().describe('what the node has for a resize'),
  restartAllCondition: z.enum(['AllContainersRestarting', 'PodRestartInPlace']).optional(),
});

/** The whole file. */
export const scenarioSchema = z
  .strictObject({
    kubelet: kubelet.optional(),
    images: z
      .record(z.string(), z.union([z.literal('absent'), image]))
      .optional()
      .describe('by image name'),
    volumes: z.strictObject(trouble).optional().describe('mounting the volumes'),
    sandbox: z.strictObject(trouble).optional().describe('creating the sandbox'),
    containers: z
      .record(z.string(), container)
      .optional()
      .describe('by container name; a container not named here behaves as its command says'),
    events: z.array(event).optional(),
  })
  .describe('A scenario of `fairway pod simulate`: how a pod’s containers behave and what happens to the pod.');

export type Scenario = z.infer<typeof scenarioSchema>;
export type ScenarioContainer = NonNullable<Scenario['containers']>[string];
export type ScenarioEvent = NonNullable<Scenario['events']>[number];
export type ScenarioRun = z.infer<typeof run>;
export type ScenarioAnswers = z.infer<typeof answers>;
export type ScenarioHook = z.infer<typeof hook>;
export type ScenarioExit = z.infer<typeof exit>;

/** The format as JSON Schema (2020-12), for editors: what stands in schemas/scenario.json. */
export function scenarioJsonSchema(): Readonly<Record<string, unknown>> {
  return { $id: 'scenario.json', ...z.toJSONSchema(scenarioSchema, { io: 'input', reused: 'inline' }) };
}
