// Copies of what says who is in the mesh: the labels of namespaces, and the injectors' configurations. Both are asked for at each review.
import { type Served, servedBy, servedByAll } from '../../core/admission/index.ts';
import { type Configuration, type Injector, injectorsOf } from '../../core/injectors/index.ts';
import type { Resource, Sink } from '../../ports/cluster.ts';

export type Labels = Readonly<Record<string, string>>;
export type Follow = (resource: Resource, what: 'metadata' | 'objects', sink: Sink) => void;

const namespaces: Resource = { group: '', version: 'v1', plural: 'namespaces' };
const configurations: Resource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  plural: 'mutatingwebhookconfigurations',
};

interface Named {
  readonly metadata?: { readonly uid?: string; readonly name?: string; readonly labels?: Labels };
}

/** Labels by namespace. One that was made anew under its old name outlives the end of the old. */
export function followLabels(follow: Follow, changed: () => void): ReadonlyMap<string, Labels> {
  const byName = new Map<string, Labels>();
  const names = new Map<string, string>();
  const owners = new Map<string, string>();
  follow(namespaces, 'metadata', {
    put: (object) => {
      const { uid = '', name = '', labels = {} } = (object as Named).metadata ?? {};
      names.set(uid, name);
      owners.set(name, uid);
      byName.set(name, labels);
      changed();
    },
    remove: (uid) => {
      const name = names.get(uid) ?? '';
      names.delete(uid);
      if (owners.get(name) !== uid) return;
      owners.delete(name);
      byName.delete(name);
      changed();
    },
  });
  return byName;
}

export interface FollowedInjectors {
  readonly served: () => Served;
  readonly injectors: () => readonly Injector[];
}

/** Configurations change rarely: what follows from all of them is made anew only after a change. */
export function followConfigurations(follow: Follow, changed: () => void): FollowedInjectors {
  const byUid = new Map<string, Configuration>();
  let served: Served | undefined;
  let injectors: readonly Injector[] | undefined;
  const forget = (): void => {
    served = undefined;
    injectors = undefined;
    changed();
  };
  follow(configurations, 'objects', {
    put: (object) => {
      byUid.set((object as Named).metadata?.uid ?? '', object as Configuration);
      forget();
    },
    remove: (uid) => {
      byUid.delete(uid);
      forget();
    },
  });
  return {
    served: () => (served ??= servedByAll(Array.from(byUid.values(), servedBy))),
    injectors: () => (injectors ??= injectorsOf([...byUid.values()])),
  };
}
