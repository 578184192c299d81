// Which revisions and revision tags a cluster's injectors serve: a pod whose label no selector asks for gets no sidecar.
import { type Configuration, injectorsOf, namedRevisions } from '../injectors/index.ts';

export interface Served {
  readonly revisions: ReadonlySet<string>;
  readonly tags: ReadonlySet<string>;
}

/** What one configuration serves; nothing where it is no injector, or its selectors were made to match nothing. */
export function servedBy(configuration: Configuration): Served {
  const names = new Set(namedRevisions(injectorsOf([configuration])));
  const isTag = configuration.metadata.labels?.['istio.io/tag'] !== undefined;
  return isTag ? { revisions: none, tags: names } : { revisions: names, tags: none };
}

/** The union over a cluster's configurations. */
export function servedByAll(each: Iterable<Served>): Served {
  const [revisions, tags] = [new Set<string>(), new Set<string>()];
  for (const served of each) {
    for (const revision of served.revisions) revisions.add(revision);
    for (const tag of served.tags) tags.add(tag);
  }
  return { revisions, tags };
}

const none: ReadonlySet<string> = new Set();
