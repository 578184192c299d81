// What is wrong with a cluster's injection, found without a pod: by classes of pods that its selectors can tell apart, by the labels of
// its namespaces, by the order of its configurations.
import type { Problem } from '../std/errors.ts';
import { compareCodePoints } from '../std/order.ts';
import { classes, controlPlane, nameLabel, uncovered } from './classes.ts';
import {
  type Configuration,
  type Injector,
  injectionLabel,
  injectLabel,
  injectorsOf,
  matching,
  revisionLabel,
} from './configuration.ts';
import type { Labels } from './selector.ts';
import { isSwitchedOff, keptIn, selectorsBefore } from './switched-off.ts';

export interface NamespaceFacts {
  readonly name: string;
  readonly labels: Labels;
}

/** Krispr sets labels that injectors read: whoever is called before it has read the old one. */
export function orderFindings(krisprs: readonly string[], injectors: readonly Injector[]): readonly Problem[] {
  const names = [...new Set(injectors.map(({ configuration }) => configuration))];
  return krisprs.flatMap((krispr) =>
    names
      .filter((name) => compareCodePoints(name, krispr) < 0)
      .map(
        (name): Problem => ({
          code: 'krispr-too-late',
          severity: 'error',
          path: krispr,
          message: `API servers call ${name} before Krispr: a label that Krispr changes is not the revision that was injected`,
          hint: 'install Krispr by `fairway admission manifests`: its name sorts before every injector',
        }),
      ),
  );
}

/** Classes of pods that two injectors take, and pods of the control plane that one takes. */
export function classFindings(injectors: readonly Injector[]): readonly Problem[] {
  const found = new Map<string, Problem>();
  for (const { namespace, pod, shown } of classes(injectors)) {
    const taking = matching(injectors, namespace, pod);
    const first = taking[0];
    if (first === undefined) continue;
    const names = [...new Set(taking.map(({ webhook, configuration }) => `${configuration}/${webhook}`))];
    const isControlPlane = namespace[nameLabel] === controlPlane;
    if (names.length > 1 && !isControlPlane) add(found, doubleInjection(names, shown));
    if (
      isControlPlane &&
      pod[injectLabel] === undefined &&
      pod[revisionLabel] === undefined &&
      !hasMeshLabel(namespace)
    )
      add(found, controlPlaneInjection(names, shown));
  }
  return [...found.values()];
}

/** Configurations of istiod that were switched off, where nobody takes all of their pods. */
export function switchedOffFindings(configurations: readonly Configuration[]): readonly Problem[] {
  const injectors = injectorsOf(configurations);
  return configurations.flatMap((configuration) => {
    const left = uncovered(injectorsOf([asBefore(configuration)]), injectors);
    return left === undefined ? [] : [standsIdle(configuration, left)];
  });
}

/** As it would be given back; what nobody knows any more stays off. */
function asBefore({ metadata, webhooks = [] }: Configuration): Configuration {
  const kept = keptIn(metadata.annotations ?? {});
  const off = webhooks.filter(isSwitchedOff).map((webhook) => ({ ...webhook, ...selectorsBefore(webhook, kept) }));
  return { metadata, webhooks: off };
}

function standsIdle({ metadata: { name, labels = {} } }: Configuration, left: string): Problem {
  return {
    code: 'taken-over-unserved',
    severity: 'error',
    path: name,
    message: `it is switched off, and nobody stands in for it: no injector takes ${left}`,
    hint: `fairway admission give-back ${labels[revisionLabel] ?? 'REVISION'} switches it on again`,
  };
}

/** What a namespace's labels do to a pod without labels, and to the labels of pods. */
export function namespaceFindings(
  { name, labels }: NamespaceFacts,
  injectors: readonly Injector[],
): { readonly effective: string | undefined; readonly problems: readonly Problem[] } {
  const effective = matching(injectors, { ...labels, [nameLabel]: name }, {})[0]?.revision;
  const injection = labels[injectionLabel];
  const revision = labels[revisionLabel];
  const problems: Problem[] = [];
  const report = (code: string, severity: Problem['severity'], text: Pick<Problem, 'message' | 'hint'>): void =>
    void problems.push({ code, severity, path: name, ...text });
  if (injection !== undefined && injection !== 'enabled' && injection !== 'disabled')
    report('injection-value', 'error', {
      message: `${injectionLabel}=${injection} means nothing, and nothing injects there`,
      hint: 'the values are enabled and disabled',
    });
  else if (injection === 'disabled' && revision !== undefined)
    report('injection-contradiction', 'error', {
      message: `${injectionLabel}=disabled and ${revisionLabel}=${revision} contradict each other; nothing injects there`,
      hint: 'remove one of the two',
    });
  else if (injection === 'enabled' && revision !== undefined)
    report('revision-shadowed', 'error', {
      message: `${revisionLabel}=${revision} has no effect beside ${injectionLabel}=enabled`,
      hint: `remove ${injectionLabel}`,
    });
  else if (injection === 'enabled' && effective !== undefined)
    report('label-shadowed', 'warning', {
      message: `${injectionLabel}=enabled: labels of pods are ignored, every pod gets ${effective}`,
      hint: 'remove the label once every workload carries its own',
    });
  else if (revision !== undefined)
    report('label-shadowed', 'warning', {
      message: `${revisionLabel}=${revision}: labels of pods are ignored, every pod gets ${effective ?? 'no sidecar'}`,
      hint: 'remove the label once every workload carries its own',
    });
  if (injection === 'enabled' && effective === undefined)
    report('injection-unserved', 'error', {
      message: `no webhook serves ${injectionLabel}=enabled`,
      hint: 'set the default revision tag, or remove the label',
    });
  return { effective, problems };
}

function hasMeshLabel(labels: Labels): boolean {
  return labels[injectionLabel] !== undefined || labels[revisionLabel] !== undefined;
}

/** One finding a pair of injectors: the first class, which has the fewest labels, explains it best. */
function add(found: Map<string, Problem>, problem: Problem): void {
  const key = `${problem.code} ${problem.path}`;
  if (!found.has(key)) found.set(key, problem);
}

function doubleInjection(names: readonly string[], shown: string): Problem {
  return {
    code: 'double-injection',
    severity: 'error',
    path: names.join(' and '),
    message: `two injectors take ${shown}`,
    hint: 'one of them has to go: remove the older default, or the tag that both serve',
  };
}

function controlPlaneInjection(names: readonly string[], shown: string): Problem {
  return {
    code: 'control-plane-injected',
    severity: 'error',
    path: names.join(' and '),
    message: `${shown} named ${controlPlane} is selected: the control plane would wait for itself`,
    hint: `exclude ${controlPlane} by ${nameLabel}`,
  };
}
